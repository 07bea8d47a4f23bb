"""Reading a site: short forms spelled out, paths of the library added, names checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path as FilePath
from typing import Any

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError, did_you_mean, one_of
from hecn_analysis.hardware import yaml_file
from hecn_analysis.hardware.clock import date_of, is_date, seconds_after
from hecn_analysis.hardware.description import KeyPath, Library, Place
from hecn_analysis.hardware.scenario import ROLES, SITE_KEYS, document_of, unknown_scenario
from hecn_analysis.hardware.site import MOST_TRANSFERS, Link, Site, SiteFile, SiteHost, Transfer


def _is_site(keys: Mapping[str, Any]) -> bool:
    """Whether a mapping describes a site, or a scenario of several transfers."""
    return not SITE_KEYS.isdisjoint(keys)


def site_of(source: str | FilePath | Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> Site | None:
    """Site that a file, a name or a mapping describes; None if it describes something else.

    Parameters
    ----------
    source, settings
        See `load_site`.

    Returns
    -------
    Site or None
        The validated site; its numbers are in SI.

    Examples
    --------
    >>> site_of("c-two-copies") is None
    True
    """
    if isinstance(source, Mapping):
        return load_site(source, settings) if _is_site(source) else None
    named = FilePath(source)
    if named.suffix in {".yaml", ".yml"} or named.is_file():
        return load_site(source, settings) if _is_site(yaml_file.load(named).values) else None
    library = Library(places.models_dir())
    if str(source) in library.names("scenarios"):
        return None
    if str(source) not in library.names("sites"):
        raise unknown_scenario(source, ("scenarios", "sites"))
    return load_site(source, settings)


def load_site(source: str | FilePath | Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> Site:
    """Site from a YAML file, a name in ``models/sites``, or a mapping of keys.

    Parameters
    ----------
    source, settings
        File, name or mapping; keys of the scenario of every transfer that override its own.

    Returns
    -------
    Site
        The validated site. Numbers are in SI: bit/s, bytes, seconds, fractions.

    Raises
    ------
    InputError
        Unknown key or name (the message suggests the nearest), or impossible value; with file and line if known.

    Examples
    --------
    >>> site = load_site({"path": "lan-10ge", "tool": "iperf3", "transfers": [{"sender": "a", "receiver": "b"}]})
    >>> list(site.hosts), site.links["lan-10ge"].rate.value
    (['a', 'b'], 10000000000.0)
    """
    if isinstance(source, Mapping):
        values, name = source, str(source.get("name") or "")

        def place(path: KeyPath) -> Place:  # noqa: ARG001 - a mapping has no lines
            return None, None

    else:
        document = document_of(source, kind="sites")
        values, name = document.values, FilePath(source).stem

        def place(path: KeyPath) -> Place:
            lines = [document.line(path), document.line(tuple(key for key in path if key != "set"))]
            return document.source, max((line for line in lines if line is not None), default=None)

    library = Library(places.models_dir())
    upper = {key: value for key, value in (settings or {}).items() if value not in (None, "")}
    written = _written({**values, "name": values.get("name") or name}, upper)
    _add_links(library, written, place)
    _set_clock(written, place)
    file = yaml_file.validate(SiteFile, written, place)
    groups = {
        name: (name,) if host.count == 1 else tuple(f"{name}{number + 1}" for number in range(host.count))
        for name, host in file.hosts.items()
    }
    hosts = {instance: file.hosts[name] for name, instances in groups.items() for instance in instances}
    site = Site(
        file.name,
        file.title,
        {**{instance: (instance,) for instance in hosts}, **groups},
        hosts,
        file.switches,
        _spread_out(file.links, groups),
        file.storage,
        tuple(file.transfers),
        {"tool": file.tool, **file.set} if file.tool else file.set,
        file.clock,
        place,
        (source, settings or {}),
    )
    _check(library, site, file)
    return site


def changed(site: Site, settings: Mapping[str, Any]) -> Site:
    """The same site with some keys of all its transfers changed.

    Parameters
    ----------
    site, settings
        Site, and keys to values, e.g. ``{"tool.streams": 4}``.

    Returns
    -------
    Site
        A new site.

    Examples
    --------
    >>> site = load_site({"path": "lan-10ge", "transfers": [{"sender": "a", "receiver": "b"}]})
    >>> changed(site, {"tool.streams": 4}).settings
    {'tool.streams': 4}
    """
    source, before = site.origin
    return load_site(source, {**before, **settings})


def _written(values: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a site in their long form, with those of its transfers under ``set``, overridden by `upper`."""
    keys = {key: value for key, value in values.items() if key.partition(".")[0] not in ROLES}
    common = _flat({key: value for key, value in values.items() if key.partition(".")[0] in ROLES})
    changes = values.get("set")
    if not isinstance(changes, Mapping | None):
        return {**values}  # validation reports the fault
    common |= _flat(changes or {}) | _flat(upper)
    path = {key.partition(".")[2]: common.pop(key) for key in list(common) if key.startswith("path.")}
    named = {role: common.pop(role, None) for role in ("sender", "receiver", "path")}
    if path:  # keys of the path that all transfers share
        name = str(named["path"] or "path")
        base = {} if named["path"] is None else {"path": name}
        keys["links"] = {**(keys.get("links") or {}), name: {**base, **path}}
        named["path"] = name
    if isinstance(transfers := keys.get("transfers"), list):
        keys["transfers"] = [_transfer(item, named, upper) for item in transfers]
        _describe_paths(keys)
    keys["tool"] = common.pop("tool", None)
    keys["set"] = common
    keys["hosts"] = _hosts(keys)
    return {key: value for key, value in keys.items() if value is not None}


def _flat(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted keys of a mapping; the name inside of one is that of its role."""
    flat: dict[str, Any] = {}
    for key, value in keys.items():
        if isinstance(value, Mapping) and key in ROLES:
            flat |= {f"{key}.{below}" if below != "name" else key: deeper for below, deeper in value.items()}
        else:
            flat[key] = value
    return flat


def _transfer(item: Any, named: Mapping[str, Any], upper: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what YAML holds
    """A transfer with its dotted keys under ``set``, and the roles of the site that it does not name."""
    if not isinstance(item, Mapping) or not isinstance(item.get("set"), Mapping | None):
        return item
    flat = _flat(item)
    for name in ("bytes", "duration", "streams", "pace"):  # of this transfer, not of its kind
        if f"tool.{name}" in flat:
            flat[name] = flat.pop(f"tool.{name}")
    dotted = {key: value for key, value in flat.items() if key.partition(".")[0] in ROLES and "." in key}
    own = {key: value for key, value in flat.items() if key not in dotted and not {key, f"tool.{key}"} & {*upper}}
    roles = {role: value for role, value in named.items() if value is not None}
    settings = {key: value for key, value in {**dotted, **(item.get("set") or {})}.items() if key not in upper}
    return {**roles, **own, **({"set": settings} if settings else {})}


def _describe_paths(keys: dict[str, Any]) -> None:
    """Turn the path that a transfer describes into a link, which transfers of the same description share."""
    links = keys.get("links")
    if not isinstance(links, Mapping | None):
        return
    links, described = dict(links or {}), list[dict[str, Any]]()
    for item in keys["transfers"]:
        settings = (item.get("set") if isinstance(item, dict) else None) or {}
        own = {key.partition(".")[2]: value for key, value in settings.items() if key.startswith("path.")}
        if not own or item.get("path") in links or not isinstance(item.get("path"), str | None):
            continue
        path = own if item.get("path") is None else {"path": item["path"], **own}
        if path not in described:
            described.append(path)
        number = described.index(path) + 1
        item["path"] = name = f"path {number}" if number > 1 else "path"
        item["set"] = {key: value for key, value in settings.items() if not key.startswith("path.")}
        links[name] = path
    if described:
        keys["links"] = links


def _hosts(keys: Mapping[str, Any]) -> Any:  # noqa: ANN401 - what YAML holds
    """Hosts in their long form; without any, those that the transfers name are entries of models/hosts."""
    hosts, transfers = keys.get("hosts"), keys.get("transfers")
    if isinstance(hosts, Mapping):
        return {str(name): {"host": host} if isinstance(host, str) else host for name, host in hosts.items()}
    if hosts is not None or not isinstance(transfers, list):
        return hosts
    known: dict[str, Any] = {}
    for number, item in enumerate(transfers):
        if not isinstance(item, dict):
            continue
        for role in ("sender", "receiver"):
            if isinstance(name := item.get(role), str):
                known[name] = {"host": name}
        if item.get("sender") == item.get("receiver") in known:  # two machines of one kind
            second = f"{item['receiver']} (2)"
            known[second] = {"host": item["receiver"]}
            transfers[number] = {**item, "receiver": second}
    return known


def _add_links(library: Library, written: dict[str, Any], place: Callable[[KeyPath], Place]) -> None:
    """Add the paths of ``models/paths`` that links and transfers name."""
    links = written.get("links") or {}
    if not isinstance(links, dict):
        return
    links = dict(links)
    transfers = written.get("transfers")
    for number, item in enumerate(transfers if isinstance(transfers, list) else ()):
        path = item.get("path") if isinstance(item, dict) else None
        if isinstance(path, str) and path not in links:
            key = ("transfers", str(number), "path")
            if path not in library.names("paths") and not path.endswith((".yaml", ".yml")) and links:
                source, line = place(key)
                raise InputError(
                    f"path {path!r}",
                    f"a link of the site ({one_of(list(links), path, where='links')}) or a path of models/paths",
                    source=source,
                    line=line,
                    advice=did_you_mean(path, [*links, *library.names("paths")]),
                )
            library.entry("paths", path, asked_by=place(key))
            links[path] = {"path": path}
    for name, link in links.items():
        if isinstance(link, dict) and isinstance(link.get("path"), str):
            base = library.entry("paths", link["path"], asked_by=place(("links", name, "path"))).values
            links[name] = {**{key: value for key, value in base.items() if not _replaced(key, link)}, **link}
    written["links"] = links


def _set_clock(written: dict[str, Any], place: Callable[[KeyPath], Place]) -> None:
    """Turn the dates of transfers into times after 0."""
    transfers = written.get("transfers")
    if not isinstance(transfers, list):
        return
    clock: datetime | None = None
    key: KeyPath = ("clock",)
    try:
        clock = None if written.get("clock") is None else date_of(written["clock"])
        for number, item in enumerate(transfers):
            for name in ("start", "by") if isinstance(item, dict) else ():
                if is_date(item.get(name)):
                    key = ("transfers", str(number), name)
                    item[name] = _after(clock, item[name])
    except ValueError as error:
        found, _, expected = str(error).removeprefix("found ").partition(", expected ")
        source, line = place(key)
        raise InputError(f"{key[-1]}: {found}", expected, source=source, line=line) from None


def _after(clock: datetime | None, when: object) -> float:
    """Time of a date after the clock [s]."""
    seconds = seconds_after(when, clock)
    if seconds < 0:
        raise ValueError(f"found {str(when)!r}, expected a date after the clock, {clock}")
    return seconds


def _replaced(key: str, link: Mapping[str, Any]) -> bool:
    return key == "rtt" and "latency" in link


def _spread_out(links: Mapping[str, Link], groups: Mapping[str, tuple[str, ...]]) -> dict[str, Link]:
    """Links with one for each host of a group at an end."""
    spread: dict[str, Link] = {}
    for name, link in links.items():
        if link.ends is None:
            spread[name] = link
            continue
        first, second = (groups.get(end, (end,)) for end in link.ends)
        many = max(len(first), len(second))
        for number in range(many):
            ends = [first[number % len(first)], second[number % len(second)]]
            spread[name if many == 1 else f"{name}{number + 1}"] = link.model_copy(update={"ends": ends})
    return spread


def _check(library: Library, site: Site, file: SiteFile) -> None:
    """Check that each name of a site names something."""
    for name, host in file.hosts.items():
        _check_host(library, site, name, host)
    for name, link in file.links.items():
        _check_link(site, file, name, link)
    for number, transfer in enumerate(site.transfers):
        _check_transfer(site, ("transfers", str(number)), transfer)
    _is_single(site, (), site.settings)
    if sum(site.expanded(transfer) for transfer in site.transfers) > MOST_TRANSFERS:
        raise site.error(("transfers",), "too many transfers", f"at most {MOST_TRANSFERS:,}")


def _check_host(library: Library, site: Site, name: str, host: SiteHost) -> None:
    known = library.names("hosts")
    if host.host not in known and not host.host.endswith((".yaml", ".yml")):
        expected, advice = one_of(known, host.host, where="models/hosts"), did_you_mean(host.host, known)
        raise site.error(("hosts", name, "host"), f"host {host.host!r}", expected, advice=advice)
    if host.storage is not None and host.storage not in site.storage:
        raise _unknown(site, ("hosts", name, "storage"), f"storage {host.storage!r}", site.storage, host.storage)
    if name in site.switches:
        raise site.error(("switches", name), f"a switch {name!r} and a host of that name", "a name for each")


def _check_link(site: Site, file: SiteFile, name: str, link: Link) -> None:
    ends = link.ends or []
    for end in ends:
        if end not in site.groups and end not in site.switches:
            raise _unknown(site, ("links", name, "ends"), f"end {end!r}", [*file.hosts, *site.switches], end)
    sizes = {len(site.groups.get(end, (end,))) for end in ends} - {1}
    if len(sizes) > 1:
        found = "groups of {} and {} hosts".format(*(len(site.groups[end]) for end in ends))
        raise site.error(("links", name, "ends"), found, "one host or switch at an end, or groups of one size")


def _check_transfer(site: Site, path: KeyPath, transfer: Transfer) -> None:
    for role, end in (("sender", transfer.sender), ("receiver", transfer.receiver)):
        if end not in site.groups:
            raise _unknown(site, (*path, role), f"{role} {end!r}", site.groups, end)
    for key in transfer.set:
        role, _, rest = key.partition(".")
        if role not in ROLES or not rest or role == "path":
            expected = "keys of its sender, receiver or tool, such as tool.window; those of a path are in links"
            raise site.error((*path, "set", key), f"key {key!r} of a transfer", expected)
    _is_single(site, path, transfer.set)


def _is_single(site: Site, path: KeyPath, settings: Mapping[str, Any]) -> None:
    """Refuse keys that would make several transfers of one."""
    for key, instead in (("tool.processes", "count"), ("tool.bidirectional", "a transfer each way")):
        if key in settings:
            raise site.error((*path, "set", key), f"{key} in a site", instead)


def _unknown(site: Site, path: KeyPath, found: str, known: Iterable[str], word: str) -> InputError:
    names = list(known)
    expected = one_of(names, word, where=path[0]) if names else "none, as the site has none"
    return site.error(path, found, expected, advice=did_you_mean(word, names))
