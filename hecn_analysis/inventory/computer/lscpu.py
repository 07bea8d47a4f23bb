"""``lscpu``: processors, cores, sockets, caches and NUMA nodes; as text in any language, -e, -p and JSON.

Versions: util-linux 2.19 to 2.41. The words of a language are known by their stems.

Traps
-----
- NUMA nodes may be more or fewer than sockets, and sparse; lists of processors may have a step ("0-62:2").
- util-linux 2.34 and younger give a cache as the sum of all ("72 MiB (4 instances)"), older ones the size of one
  ("35840K"): `l3_bytes` is what is printed, `l3_instances` how many are in it, None where it is one.
- `mhz` is the clock of this moment, `mhz_max` the highest that it may be set to, without what boosts it further.
- "CPU(s) scaling MHz: 54%" is a share and no clock.
- "Virtualization: VT-x" is what the processor offers its guests; a guest has "Hypervisor vendor" or "Virtualization
  type".
- Mainframes count sockets by book and drawer; ARM may say "Socket(s): -" and count clusters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.inventory.kernel import numbers
from hecn_analysis.inventory.labels import without_note
from hecn_analysis.parsing.amounts import number, size, whole
from hecn_analysis.parsing.json_values import objects

FORMATS = ("lscpu", "lscpu-e", "lscpu-json", "lscpu-p")
VERSIONS = "util-linux 2.19 to 2.41"
COMMANDS = ("lscpu",)
BEGINS = re.compile(
    r"(\|?\s{0,8}A\w{7,12}(?=\s?:(?:\s{2,40}|\s{0,40}\|\s{1,4})"
    r"(?:x86_64|i[3-6]86|aarch64|arm\w{1,6}|ppc\w{0,6}|s390x?|riscv\w{2,4}|loongarch64)\s{0,80}\|?\s*$)"
    r"|\s{0,8}(?:CPU\(s\)|Thread\(s\) per core):\s{1,40}\d)"
    r"|(CPU NODE |CPU SOCKET )|(# The following is the parsable format)"
)
REPEATS = False

_LINE: Final = re.compile(r"\s{0,8}(?P<name>[^:：]{2,60}?)\s?[:：]\s{0,40}(?P<value>\S.{0,8000})?$")
_CELLS: Final = re.compile(r"\s{0,8}\|?(?P<name>[^|]{3,60}:)\s{0,60}\|\s{0,4}(?P<value>[^|]{1,400}?)\s{0,80}\|\s*$")
_CACHE_NAME: Final = re.compile(r"\bL(?P<level>1d|1i|2|3|4)\b")
_CACHE: Final = re.compile(
    r"(?P<size>\d[\d.,]{0,12}(?:\s?[KMG]i?B?)?)(?:\s\((?P<instances>\d{1,5}) \S{3,20}\))?(?:\s{1,8}#.{0,200})?$"
)
_DIGITS: Final = re.compile(r"\d{1,4}")
_CPUS: Final = frozenset(
    "cpu(s)|cpu|processeur(s)|počet cpu|cpu'er|cpu's|cpu(-a)|cpu-uri|cpu(er)|cpu (s)|процесори|işlemciler".split("|")  # noqa: SIM905
)
#: Stems of the words in front of the figures, in the languages that util-linux speaks, asked in this order.
_STEMS: Final = {
    "cpus_offline": ("off-?line", "hors ligne", "オフライン", "离线"),
    "online": (
        *("on-?line", "en línia", "en línea", "en ligne", "zapnut", "aktivn", "aktiva", "オンライン", "온라인"),
        *("присутн", "робочих", "trực tuyến", "在线", "線上", "çevrimiçi", "tilkoblet", "în linie"),
    ),
    "threads_per_core": (
        *("thread", "^hilo", "^draden", "^tråd", "^vláken", "^wątk", "^tópico", "^fire de", "^dretva", "поток"),
        *("^нити", "スレッド", "스레드", "线程", "執行緒", "parçacığı", "số tuyến", "^converses"),
    ),
    "cores_per_cluster": (r"(?:core|kern|jader|cœur|núcleo|コア|코어|核).{0,60}(?:cluster|klast|クラスタ|클러스터)",),
    "sockets_per_book": ("socket.{0,60} (?:per book|par livre|por libro)", "sockel pro buch"),
    "books_per_drawer": ("^book.* per drawer", "^buch.*pro drawer"),
    "drawers": (r"^drawer\(s\)$", "^drawers$"),
    "cores_per_socket": (
        *("^core", "^kern", "^jader", "^núcleo", "^cœur", "^rdzeni", "^nuclee", "^jezgra", "^kärn", "^ядер"),
        *("^језгра", "コア", "코어", "座的核", "每通訊端核心", "başına çekirdek", "số lõi", "^inti ", "^nucli"),
    ),
    "sockets": (
        *("^«?socket", "^sockel", "^sokler", "^patic", "^gniazd", "^soquete", "^socluri", "podnožja", "^uttag"),
        *("^сокет", "ソケット数", "^소켓", "^座", "^通訊端", "^soket", "^прикључниц", "voeten", "^số đế"),
    ),
    "clusters": ("^cluster",),
    "books": (r"^book\(s\)$",),
    "model": (
        *("^model name", "^modell?na", "^nom(?:bre|e)? d(?:el|o|e) mod", "^nazwa modelu", "^název modelu"),
        *("^ime modela", "モデル名", "모델 이름", "型号名称", "^型號", "назва моделі", "имя модели", "назив модела"),
        *("^numele model", "tên mô hình"),
    ),
    "hypervisor": (
        *("hyperviseur", "hypervi", "hiperv", "ハイパーバイザ", "하이퍼바이저", "hipernadz", "гіперв", "гиперв"),
        *("хиперв", "超管理器", "bộ ảo hóa"),
    ),
    "virtual": (
        *(r"virtuali[sz]\w{0,8}ty", r"(?:ty|ti)p\w{0,3} d?e? ?virtuali", "仮想化タイプ", "가상화 형식", "虚拟化类型"),
        *("虛擬型態", "^typ wirtual"),
    ),
    "mhz_max": (r"^(?=.*(?:mhz|мгц|frequen|frecven))(?=.*(?:max|maks|máx|màx|最大|최대|највише|макс|yüksek|tối đa))",),
    "mhz_min": (r"^(?=.*(?:mhz|мгц|frequen|frecven))(?=.*(?:min|mín|最小|최소|најмање|мін|asgari|tối thiểu))",),
    "mhz": ("^cpu (?:dynamic )?mhz$", "^vitesse du processeur en mhz$", "^prozessor.*mhz$"),
}
_KNOWN: Final = {name: re.compile("|".join(stems)) for name, stems in _STEMS.items()}
_COUNTS: Final = frozenset(
    {
        *("threads_per_core", "cores_per_socket", "cores_per_cluster", "sockets", "sockets_per_book"),
        *("books_per_drawer", "drawers", "clusters", "books"),
    }
)


def recognises(output: Output) -> bool:
    """Whether this is its table, its list, its JSON, some of its lines below the command, or three of its counts."""
    first = next((line for line in output.lines if not line.startswith("lscpu:")), "")
    if first.startswith("{"):
        return re.search(r'"(?:lscpu|cpus)"\s*:\s*\[', output.head(4)) is not None and '"nvme' not in output.head(4)
    if _is_table(first) or _parsable(output) is not None:
        return True
    names = {name for line in output.lines[:40] for name, _ in _named(line)}
    if output.command[:1] == ("lscpu",) and names:
        return True  # some of its lines
    if {"threads_per_core", "cores_per_socket", "sockets"} <= names:
        return True
    return (
        bool(names & {"cpus", "online"})
        and len(names & {"cpus", "threads_per_core", "cores_per_socket", "sockets", "numa_nodes", "online", "l3"}) >= 3
    )


def read(output: Output) -> Facts:
    """Counts, clocks, caches, and which processors are on which node."""
    first = next((line for line in output.lines if not line.startswith("lscpu:")), "")
    if first.startswith("{"):
        return _json(output)
    if _is_table(first):
        return _table(output, "lscpu-e", [line.split() for line in output.lines if line.strip()], first.split())
    header = _parsable(output)
    if header is not None:
        rows = [line.split(",") for line in output.lines if re.match(r"\d{1,5},", line)]
        return _table(output, "lscpu-p", rows, header)
    return _summary(output, "lscpu", [(number, line) for number, line in output.numbered()])


def _is_table(line: str) -> bool:
    words = line.split()
    return words[:1] == ["CPU"] and len(words) > 1 and bool({"CORE", "SOCKET", "NODE"} & set(words))


def _parsable(output: Output) -> list[str] | None:
    """Names of the columns of -p."""
    header = next((line for line in output.lines[:8] if re.match(r"# ?CPU,", line, re.IGNORECASE)), None)
    return None if header is None else header.lstrip("# ").strip().split(",")


def _named(line: str) -> Iterator[tuple[str, str]]:
    """The name of the fact that a line gives, and its text."""
    cells = _CELLS.match(line)  # a row of a table in Markdown
    match = _LINE.match(f"{cells['name']} {cells['value']}" if cells else without_note(line).rstrip())
    if match is None or not match["value"]:
        return
    name, value = match["name"].replace("\xa0", " ").strip().casefold(), match["value"]
    if "numa" in name:
        node = _DIGITS.search(name)
        if node is not None:
            yield f"node {node[0]}", value
        elif value.isdigit():
            yield "numa_nodes", value
    elif name in _CPUS:
        yield "cpus", value
    elif (cache := _CACHE_NAME.search(match["name"])) and _CACHE.match(value):
        yield f"l{cache['level']}", value
    elif not value.endswith("%"):
        known = _known(name)
        if known is not None:
            yield known, value


@lru_cache(maxsize=1024)
def _known(name: str) -> str | None:
    """The fact that a name, in whatever language, stands for."""
    return next((known for known, stems in _KNOWN.items() if stems.search(name)), None)


def _summary(output: Output, form: str, lines: list[tuple[int, str]]) -> Facts:
    facts = output.facts(
        form, dict.fromkeys(("model", "cpus", "sockets", "cores_per_socket", "threads_per_core", "cores"))
    )
    values = facts.values
    values.update(dict.fromkeys(("numa_nodes", "mhz", "mhz_max", "mhz_min", "l2_bytes", "l3_bytes", "hypervisor")))
    values["numa_cpus"], values["virtual"] = {}, False
    counts: dict[str, int] = {}
    for line_number, line in lines:
        for name, value in _named(line):
            if name in counts or (name in values and values[name] and name not in {"virtual", "numa_cpus"}):
                continue
            if name in _COUNTS:
                if (count := whole(value)) is not None:
                    counts[name] = count
            elif not _take(values, name, value):
                message = f"found {line.strip()[:60]!r}, expected a figure of lscpu; left out"
                facts.problem(line_number, "malformed", message)
    _count(values, counts)
    return facts


def _take(values: dict[str, Any], name: str, value: str) -> bool:
    """Put a fact among the others; whether its text could be read."""
    if name.startswith("node "):
        cpus = numbers(value)
        if cpus is None:
            return False
        values["numa_cpus"][name[5:]] = cpus
    elif name in {"cpus", "numa_nodes"}:
        values[name] = whole(value)
        return values[name] is not None
    elif name.startswith("mhz"):
        values[name] = number(value)
    elif name in {"model", "hypervisor"}:
        values[name] = value if value != "-" else None
        values["virtual"] = values["virtual"] or name == "hypervisor"
    elif name == "virtual":
        values["virtual"] = value not in {"none", "-"}
    elif name == "online":
        online = numbers(value)
        values["cpus_online"] = len(online) if online is not None else None
    elif match := _CACHE.match(value):
        values[f"{name}_bytes"] = size(match["size"])
        values[f"{name}_instances"] = whole(match["instances"])
    return True


def _count(values: dict[str, Any], counts: dict[str, int]) -> None:
    """Sockets and cores from what an architecture counts."""
    sockets = counts.get("sockets")
    if sockets is None and "sockets_per_book" in counts:
        sockets = (
            counts["sockets_per_book"]
            * counts.get("books_per_drawer", counts.get("books", 1))
            * counts.get("drawers", 1)
        )
    each = counts.get("cores_per_socket")
    values["sockets"], values["cores_per_socket"] = sockets, each
    values["threads_per_core"] = counts.get("threads_per_core")
    online, threads = values.get("cpus_online") or values["cpus"], values["threads_per_core"]
    if sockets and each and (not online or sockets * each * (threads or 1) == online):
        values["cores"] = sockets * each
    elif counts.get("clusters") and counts.get("cores_per_cluster"):
        values["cores"] = counts["clusters"] * counts["cores_per_cluster"]
    elif online and threads:  # cores of several kinds, or mainframes that show sockets of others
        values["cores"] = online // threads


def _json(output: Output) -> Facts:
    root = next((value for value in output.json if isinstance(value, dict)), {})
    if isinstance(root.get("cpus"), list):
        table = objects(root["cpus"])
        header = list(table[0]) if table else []
        return _table(output, "lscpu-e", [[str(row.get(name, "-")) for name in header] for row in table], header)
    lines: list[tuple[int, str]] = []
    level = objects(root.get("lscpu"))
    while level:
        lines += [(output.first, f"{str(row.get('field')).rstrip(':')}: {row.get('data')}") for row in level]
        level = [below for row in level for below in objects(row.get("children"))]
    return _summary(output, "lscpu-json", lines)


def _table(output: Output, form: str, rows: list[list[str]], header: list[str]) -> Facts:
    """A row for each processor."""
    facts = output.facts(form)
    names = [name.upper() for name in header]

    def column(name: str, row: list[str]) -> int | None:
        at = names.index(name) if name in names else -1
        return whole(row[at]) if 0 <= at < len(row) else None

    known = [row for row in rows if column("CPU", row) is not None]
    if known and len(known[-1]) < len(names):
        cut = " ".join(known[-1])[:80]
        facts.problem(output.last, "truncated", f"found {cut!r}, expected {len(names)} cells as in the head")
    distinct = {name: {column(name, row) for row in known} - {None} for name in ("CORE", "SOCKET", "NODE")}
    nodes: dict[str, list[int]] = {}
    for row in known:
        node, cpu = column("NODE", row), column("CPU", row)
        if node is not None and cpu is not None:
            nodes.setdefault(str(node), []).append(cpu)
    facts.values = {
        "cpus": len(known),
        "cores": len(distinct["CORE"]) or None,
        "sockets": len(distinct["SOCKET"]) or None,
        "numa_nodes": len(distinct["NODE"]) or None,
        "numa_cpus": dict(sorted(nodes.items(), key=lambda item: int(item[0]))),
    }
    clocks = [
        number(row[names.index("MAXMHZ")]) for row in known if "MAXMHZ" in names and len(row) > names.index("MAXMHZ")
    ]
    facts.values["mhz_max"] = max((clock for clock in clocks if clock), default=None)
    return facts
