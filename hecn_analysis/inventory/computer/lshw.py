"""``lshw``: the tree of the hardware, as text and as JSON.

Versions: lshw B.02.16 to B.02.20.

Traps
-----
- Old versions write JSON that is an object, younger ones a list; some leave out the brackets between objects.
- "memory" is also the class of caches and of the firmware: only nodes called memory hold main memory. The clock of a
  bank is its MT/s.
- The text is in the language of the user: labels, states and the word for an empty socket; ids and settings are not.
- Without root there are no banks. A disk or a network card may have several names; the first one is taken.
- Empty sockets are nodes called cpu too, DISABLED or "[empty]". Where the firmware's list does not fit the kernel's, a
  processor comes twice, from the kernel without a slot.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from hecn_analysis.inventory.contract import Facts, Output
from hecn_analysis.parsing.amounts import number, size

FORMATS = ("lshw-json", "lshw-text")
VERSIONS = "lshw B.02.16 to B.02.20"
COMMANDS = ("lshw",)
BEGINS: re.Pattern[str] | None = re.compile(
    r"[\w.-]{1,64}\s{0,20}\n {4}description: \S"  # below the name of the host
    r"|(?=\s{0,40}\*-[a-z][\w:]{1,40}(?: [A-Z]{4,12})?\s{0,8}\n\s{4,60}[^\W\d_][^:\n]{2,30}: \S)"
)
REPEATS = False

_NODE: Final = re.compile(
    r"(?P<indent>\s{0,120})\*-(?P<id>[\w:.-]{1,60})(?:\s{1,4}(?P<state>[^\W\d_a-z][^\d_a-z:=]{1,30}))?\s*$"
)
_FIELD: Final = re.compile(r"(?P<indent>\s{1,130})(?P<name>[^\W\d_][^\d_:*=]{0,30}): (?P<value>.{0,8000})$")
_LABELS: Final = {
    "description": ("beschreibung", "descripción", "описание", "詳細", "描述"),
    "product": ("produkt", "produit", "producto", "продукт", "製品", "产品"),
    "bus info": (
        "bus-informationen",
        "information bus",
        "información del bus",
        "сведения о шине",
        "バス情報",
        "总线信息",
    ),
    "logical name": ("logischer name", "nom logique", "nombre lógico", "логическое имя", "論理名", "逻辑名称"),
    "version": ("versión", "версия", "バージョン", "版本"),
    "slot": ("steckplatz", "emplacement", "ranura", "слот", "スロット", "插槽"),
    "size": ("größe", "taille", "tamaño", "размер", "サイズ", "大小"),
    "clock": ("takt", "uhr", "horloge", "reloj", "частота", "クロック", "时钟"),
    "configuration": ("konfiguration", "configuración", "конфигурация", "設定", "配置"),
}
_NAMES: Final = {word: name for name, words in _LABELS.items() for word in (name, *words)}
_DISABLED: Final = frozenset({"DISABLED", "DEAKTIVIERT", "DÉSACTIVÉ", "DESACTIVADO", "無効", "禁用", "ОТКЛЮЧЕНО"})
_EMPTY: Final = re.compile(r"\[(?:empty|leer|vide|vacío|пусто|空)\]")
_CLOCK: Final = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,3})?)(?P<prefix>[kMG])Hz")
_SETTING: Final = re.compile(r"(?:^|\s)(?P<name>[a-z]\w{1,30})=(?P<value>.{0,200}?)(?=\s[a-z]\w{1,30}=|$)")
_RATE: Final = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,3})?)\s?(?P<prefix>[kMG]?)bit/s$")
_SCALE: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
_DEEPEST: Final = 60

Node = dict[str, Any]


def recognises(output: Output) -> bool:
    """Whether the first lines are a node of its tree."""
    head = output.head(30)
    if head.lstrip()[:1] in {"{", "["}:
        return '"claimed"' in head and re.search(r'"class"\s*:\s*"', head) is not None and '"id"' in head
    fields = [match["name"].lower() for line in output.lines[:30] if (match := _FIELD.match(line))]
    described = any(_NAMES.get(name) in {"description", "product"} for name in fields)
    return described and any(_NODE.match(line) for line in output.lines[:40])


def read(output: Output) -> Facts:
    """Memory, processors, network cards and disks."""
    if output.text.lstrip()[:1] in {"{", "["}:
        facts = output.facts("lshw-json")
        roots = [part for value in output.json for part in (value if isinstance(value, list) else [value])]
        nodes = [node for root in roots if isinstance(root, dict) for node in _walk(root)]
    else:
        facts = output.facts("lshw-text")
        nodes = _text(output)
    _figures(facts.values, nodes)
    return facts


def _walk(root: Node) -> Iterator[Node]:
    """All nodes, from the root down, each before those below it."""
    stack: list[tuple[Node, int]] = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        yield node
        below = node.get("children")
        if isinstance(below, list) and depth < _DEEPEST:
            stack.extend((child, depth + 1) for child in reversed(below) if isinstance(child, dict))


def _text(output: Output) -> list[Node]:
    """Nodes of the text, with the fields that matter as JSON has them."""
    nodes: list[Node] = [{"id": "", "class": "system"}]
    for line in output.lines:
        if match := _NODE.match(line):
            nodes.append({"id": match["id"], "disabled": (match["state"] or "").strip() in _DISABLED})
        elif match := _FIELD.match(line):
            label, value = match["name"].lower(), match["value"].strip()
            name = _NAMES.get(label, label).replace(" ", "")
            nodes[-1].setdefault(name, _value(name, value))
    return nodes


def _value(name: str, value: str) -> Any:  # noqa: ANN401 - text, or the number that JSON has
    clock = _CLOCK.match(value)
    if name == "configuration":
        return {match["name"]: match["value"].strip() for match in _SETTING.finditer(value)}
    if name in {"clock", "size", "capacity"} and clock:
        return float(clock["number"]) * _SCALE[clock["prefix"]]
    return size(value) if name == "size" and size(value) is not None else value


def _is(node: Node, name: str) -> bool:
    return str(node.get("id")).partition(":")[0] == name


def _figures(values: dict[str, Any], nodes: list[Node]) -> None:
    root = nodes[0] if nodes else {}
    values["product"] = _words(root.get("product")) if root.get("class") == "system" else None
    cpus = [node for node in nodes if _is(node, "cpu") and not _is_empty(node)]
    models = [_words(node.get("product")) or _words(node.get("version")) for node in sorted(cpus, key=_has_slot)]
    cpus = list(filter(_has_slot, cpus)) or cpus
    values["n_cpus"] = len(cpus) or None
    values["cpu_model"] = next((model for model in models if model), None)
    banks = [node for node in nodes if _is(node, "bank")]
    filled = [(held, node) for node in banks if (held := _number(node.get("size")))]
    values["n_slots"], values["n_dimms"] = len(banks) or None, len(filled) if banks else None
    values["dimm_bytes"] = _most([held for held, _ in filled])
    clocks = [_number(node.get("clock")) for _, node in filled]
    values["speed_mtps"] = _most([round(clock / 1e6) for clock in clocks if clock])
    memories = [held for node in nodes if _is(node, "memory") and (held := _number(node.get("size")))]
    values["memory_bytes"] = sum(memories) or sum(held for held, _ in filled) or None
    values["networks"] = [_network(node) for node in nodes if _network(node)["logicalname"] and _is_network(node)]
    disks = [_words(node.get("logicalname")) for node in nodes if node.get("class") == "disk" or _is(node, "disk")]
    values["disks"] = list(dict.fromkeys(disk for disk in disks if disk))


def _is_empty(node: Node) -> bool:
    """Whether a socket holds no processor."""
    return bool(node.get("disabled")) or _EMPTY.search(str(node.get("description"))) is not None


def _has_slot(node: Node) -> bool:
    """Whether the firmware lists a processor; its words are less exact than the kernel's."""
    return _words(node.get("slot")) is not None


def _is_network(node: Node) -> bool:
    kind = node.get("class")
    named = _is(node, "network") or "interface" in str(node.get("description"))
    return kind == "network" or (kind is None and named and "logicalname" in node)


def _network(node: Node) -> dict[str, Any]:
    given = node.get("configuration")
    driver = given.get("driver") if isinstance(given, dict) else None
    rate = _number(node.get("size")) or _rate(node.get("size"))
    if rate is None and isinstance(given, dict):
        rate = _rate(given.get("speed"))
    return {
        "logicalname": _words(node.get("logicalname")),
        "businfo": _words(node.get("businfo")),
        "product": _words(node.get("product")),
        "driver": _words(driver),
        "speed_bps": rate,
    }


def _rate(value: Any) -> float | None:  # noqa: ANN401 - whatever JSON holds
    """A rate in words, such as ``1Gbit/s`` [bit/s]."""
    match = _RATE.match(value) if isinstance(value, str) else None
    return float(match["number"]) * _SCALE[match["prefix"]] if match else None


def _words(value: Any) -> str | None:  # noqa: ANN401 - whatever JSON holds
    """A text, the first of a list of them, None for everything else."""
    if isinstance(value, list):
        value = next(iter(value), None)
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> int | float | None:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return number(value) if isinstance(value, str) else None
    return value if 0 <= value < 1e18 else None


def _most(values: list[Any]) -> Any:  # noqa: ANN401 - whatever was counted
    return Counter(values).most_common(1)[0][0] if values else None
