"""A host in a few words: ``nic=mcx623106an slot=gen3x8 disks=8x990pro cpu=9374f``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from hecn_analysis.base import units
from hecn_analysis.base.errors import InputError, did_you_mean
from hecn_analysis.hardware.catalogue import parts

_EXAMPLE: Final = "words such as 'nic=mcx623106an slot=gen3x8 disks=8x990pro raid=0 cpu=9374f'"
_COUNTED: Final = re.compile(r"(?:(\d{1,4})x)?(.{1,120})", re.IGNORECASE)
_SLOT: Final = re.compile(r"(?:pcie)?(?:gen)?([1-6])(?:\.0)?x(\d{1,2})", re.IGNORECASE)
_WORDS: Final = ("nic", "slot", "disks", "raid", "cpu")
_NAMED: Final = 6  # parts that an error lists
_RATE: Final = re.compile(r"(\d{1,4}(?:\.\d{1,3})?)(?:g|gbe|ge|gb/s|gbit/s)", re.IGNORECASE)


class HostWords(NamedTuple):
    """Keys of a host without their role, the line rate of its ports, and a remark on each part that was chosen."""

    keys: Mapping[str, Any]
    port_bps: float | None
    remarks: tuple[str, ...]


def host_words(text: str) -> HostWords:
    """Turn words into the keys of a host.

    Parameters
    ----------
    text
        Words ``name=value``. ``nic``: a card (part of its name or title; of several, the one with the fastest port) or
        a line rate, such as ``2x100g``. ``slot``: the card's slot, such as ``gen3x8``; by default that of the card.
        ``disks``: number and model, such as ``8x990pro``; ``raid``: their level, by default 0. ``cpu``: number and
        model. Any other word is a key of a host, such as ``kernel=6.8``.

    Returns
    -------
    HostWords
        Keys such as ``slots.nic.gen``; rate of all ports [bit/s], None without a card; a remark on each part.

    Raises
    ------
    InputError
        A word without ``=``, a model that fits no part or several disks or processors, or a slot or count that cannot
        be read.

    Examples
    --------
    >>> host = host_words("nic=100g slot=gen3x8")
    >>> host.keys["slots.nic.lanes"], host.port_bps
    (8, 100000000000.0)
    """
    words = _words(text)
    keys: dict[str, Any] = {}
    remarks: list[str] = []
    port_bps = None
    if "nic" in words:
        count, model = _counted("nic", words.pop("nic"))
        slot = _slot(words.pop("slot", None))
        if rate := _RATE.fullmatch(model):
            port_bps = count * float(rate[1]) * 1e9
            gen, lanes = slot or (5, 16)
            keys |= {"slots.nic.nic.ports": count, "slots.nic.nic.port_rate": port_bps / count}
        else:
            name, card, remark = _part("nics", "nic", model)
            remarks.append(remark)
            port_bps = card.ports * card.port_rate.value
            gen, lanes = slot or (card.gen, card.lanes)
            keys["slots.nic.nic"] = name
        keys |= {"slots.nic.gen": gen, "slots.nic.lanes": lanes}
    if "disks" in words:
        count, model = _counted("disks", words.pop("disks"))
        keys["arrays.data.disk"], _, remark = _part("disks", "disks", model)
        keys["arrays.data.disks"] = count
        keys |= {"arrays.data.level": words.pop("raid", "0")} if count > 1 else {}
        remarks.append(remark)
    if "cpu" in words:
        count, model = _counted("cpu", words.pop("cpu"))
        keys["cpu.part"], _, remark = _part("cpus", "cpu", model)
        keys["cpu.sockets"] = count
        remarks.append(remark)
    if left := words.keys() & {"slot", "raid"}:
        raise InputError(f"{left.pop()} in --host without the part that it belongs to", _EXAMPLE)
    for word, value in words.items():
        if meant := did_you_mean(word, _WORDS):
            raise InputError(f"{word}={value} in --host", _EXAMPLE, advice=meant)
    return HostWords(keys | words, port_bps, tuple(remarks))


def with_host(
    words: str, keys: Mapping[str, Any], given: Iterable[str] = (), *, has_scenario: bool = False
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Keys of a scenario with a host in words at each end that they do not name, and remarks on what is assumed.

    Parameters
    ----------
    words
        See `host_words`.
    keys, given
        Keys of the scenario, and the names of others that are set later.
    has_scenario
        Whether the keys change a scenario, whose hosts the words replace, and whose path and tool stay.

    Returns
    -------
    tuple of dict and tuple of str
        The keys, with the line rate of the host's ports as that of the path and a tool if nothing states them.

    Raises
    ------
    InputError
        The words cannot be read, or both ends are named.

    Examples
    --------
    >>> with_host("nic=100g", {"path.rtt": "10 ms"})[1]
    ('path.rate not given: 100 Gb/s assumed', 'tool not given: iperf3 assumed')
    """
    host = host_words(words)
    ends = [role for role in ("sender", "receiver") if role not in keys]
    if not ends:
        raise InputError("a host in words, a sender and a receiver", "a host in words for an end that is not named")
    described = {f"{role}.{key}": value for role in ends for key, value in host.keys.items()}
    stated = {*keys, *given}
    assumed: dict[str, Any] = {}
    if not (has_scenario or {"path", "path.rate"} & stated) and host.port_bps is not None:
        assumed["path.rate"] = host.port_bps
    if not (has_scenario or "tool" in stated):
        assumed["tool"] = "gridftp" if "arrays.data.disk" in host.keys else "iperf3"
    remarks = [f"{key} not given: {_shown(value)} assumed" for key, value in assumed.items()]
    replaced = dict.fromkeys(ends, "") if has_scenario else {}
    return {**assumed, **keys, **replaced, **described}, (*host.remarks, *remarks)


def _shown(value: str | float) -> str:
    return value if isinstance(value, str) else units.format_rate(value)


def _words(text: str) -> dict[str, str]:
    words: dict[str, str] = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if not name or not value:
            raise InputError(f"{word!r} in --host", _EXAMPLE)
        if name in words:
            raise InputError(f"{name} twice in --host", "one value for each word")
        words[name] = value
    return words


def _counted(name: str, value: str) -> tuple[int, str]:
    """Split ``8x990pro`` into the number and the model."""
    match = _COUNTED.fullmatch(value)
    if match is None or match[1] == "0":
        raise InputError(f"{name}={value} in --host", "a number and a model, such as 8x990pro")
    return int(match[1] or 1), match[2]


def _slot(value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    match = _SLOT.fullmatch(value)
    if match is None:
        raise InputError(f"slot={value} in --host", "generation and lanes, such as gen3x8")
    return int(match[1]), int(match[2])


def _part(kind: str, word: str, model: str) -> tuple[str, Any, str]:
    """Find the part whose name or title contains the model; give name, part and a remark."""
    wanted = _bare(model)
    known: Mapping[str, Any] = parts(kind)
    fitting = [name for name, part in known.items() if wanted in _bare(name) or wanted in _bare(part.title)]
    names = [name for name in fitting if wanted == _bare(name)] or fitting
    if not names or not wanted:
        advice = did_you_mean(model, known)
        raise InputError(f"{word}={model} in --host", f"a part that `hecn parts {kind}` lists", advice=advice)
    chosen, others = names[0], ""
    if len(names) > 1:
        if kind != "nics":
            raise InputError(
                f"{word}={model} in --host, which fits {len(names)} parts", f"one of {_list(known, names)}"
            )
        chosen, *rest = sorted(names, key=lambda name: (-known[name].port_rate.value, known[name].ports, name))
        others = f", the fastest port of {len(names)} that fit; others: {_list(known, rest)}"
    return chosen, known[chosen], f"{word}={model}: {known[chosen].title} ({chosen}){others}"


def _list(known: Mapping[str, Any], names: Sequence[str]) -> str:
    """List the first of some parts."""
    return ", ".join(_named(name, known[name]) for name in names[:_NAMED]) + (" …" if len(names) > _NAMED else "")


def _named(name: str, part: Any) -> str:  # noqa: ANN401 - of any kind
    """Name of a part, with the ports of a network card."""
    rate = getattr(part, "port_rate", None)
    return name if rate is None else f"{name} ({part.ports} x {units.format_rate(rate.value)})"


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())
