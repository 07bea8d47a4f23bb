"""The commands that measure a scenario: which program to start at which end, with which arguments.

A tool has its name in ``models/tools``. Its settings become arguments. A setting without an argument is refused, so the
run matches the prediction.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hecn_analysis.base.errors import InputError, unknown_name
from hecn_analysis.hardware import Scenario

DURATION_S: Final = 10.0
AMOUNT: Final = 1 << 30
BLOCK: Final = 1 << 20
_NUTTCP_BLOCK: Final = 64 << 10


@dataclass(frozen=True)
class Plan:
    """Commands of a run: ``client``, whose output is parsed, at one end, and ``server`` at the receiver, or None.

    ``prepare`` runs once before the first run, ``file`` is left by the run, to be removed, and ``log`` is the suffix of
    the file for its output.
    """

    program: str
    client: tuple[str, ...]
    at: Literal["sender", "receiver"] = "sender"
    server: tuple[str, ...] | None = None
    port: int | None = None
    prepare: tuple[str, ...] | None = None
    file: str | None = None
    log: str = "txt"


@dataclass(frozen=True)
class Ends:
    """Address of the receiver, first TCP port (None: the tool's default), and file of the commands.

    ``file_is_there``: the file exists; it is then read, and neither written nor removed.
    """

    address: str = "127.0.0.1"
    port: int | None = None
    file: str = "hecn-measure.dat"
    file_is_there: bool = False


def plan(scenario: Scenario, ends: Ends, given: Mapping[str, object]) -> Plan:
    """Commands of a run.

    Parameters
    ----------
    scenario, ends
        The scenario to measure; addresses, ports and files.
    given
        Keys that the user set; keys from the descriptions of tools and hosts need no argument.

    Returns
    -------
    Plan
        The commands of both ends.

    Raises
    ------
    InputError
        The tool cannot be run here, or has no argument for a setting of the scenario.

    Examples
    --------
    >>> from hecn_analysis.hardware import load_scenario
    >>> keys = {"sender": "ideal", "receiver": "ideal", "path.rate": "10 Gb/s", "tool": "nuttcp"}
    >>> shown(plan(load_scenario(keys), Ends("192.0.2.1"), keys).client)
    'nuttcp -P 5000 -p 5001 -T10 192.0.2.1'
    """
    name = scenario.tool.name
    if name not in _TOOLS:
        raise unknown_name("tool", name, _TOOLS)
    tool = scenario.tool
    _refuse(
        scenario,
        {
            "tool.processes": tool.processes > 1,
            "tool.bidirectional": tool.bidirectional,
            "tool.encryption": tool.encryption is not None,
        },
    )
    if tool.protocol not in {"tcp", "file"}:
        raise InputError(f"tool.protocol {tool.protocol!r}", "tcp")
    return _TOOLS[name](scenario, ends, given)


def names() -> tuple[str, ...]:
    """Tools that can be run.

    Returns
    -------
    tuple of str
        Their names, as ``tool`` of a scenario takes them.

    Examples
    --------
    >>> {"iperf3", "nuttcp", "dd-write"} <= set(names())
    True
    """
    return tuple(_TOOLS)


def settings(tool: str, given: Mapping[str, object]) -> dict[str, object]:
    """Default settings for keys that were not given: disk tests use a file of 1 GiB in blocks of 1 MiB.

    Parameters
    ----------
    tool, given
        Name of the tool, and keys that were given.

    Returns
    -------
    dict
        Keys of a scenario and their values.

    Examples
    --------
    >>> settings("dd-write", {"tool.request": 65536})
    {'tool.bytes': 1073741824}
    """
    if not tool.startswith(("dd-", "fio-")):
        return {}
    usual = {"tool.bytes": AMOUNT, "tool.request": BLOCK}
    return {key: value for key, value in usual.items() if key not in given}


def _refuse(scenario: Scenario, wanted: Mapping[str, bool]) -> None:
    for key, is_wanted in wanted.items():
        if is_wanted:
            raise InputError(
                f"{key} with {scenario.tool.name}", "a setting that the tool has an argument for in hecn measure"
            )


def _whole(value: float) -> str:
    return f"{value:.0f}"


def _nuttcp(scenario: Scenario, ends: Ends, given: Mapping[str, object]) -> Plan:
    tool = scenario.tool
    set_by_hand = "sender.congestion_control" in given
    _refuse(scenario, {"tool.warm_up": tool.warm_up.value > 0, "sender.congestion_control": set_by_hand})
    port = ends.port or 5000
    block = int(tool.message.value) if "tool.message" in given and tool.message is not None else _NUTTCP_BLOCK
    words = ["-P", str(port), "-p", str(port + 1)]
    if tool.bytes is not None:
        words += [f"-n{max(1, round(tool.bytes.value / block))}", f"-l{block}"]
    else:
        words += [f"-T{_seconds(scenario)}"]
        words += [f"-l{block}"] if "tool.message" in given else []
    words += [] if tool.streams == 1 else [f"-N{tool.streams}"]
    words += [] if tool.window.value == 0 else [f"-w{_whole(tool.window.value / 1024)}"]
    words += [] if tool.pace is None else [f"-R{_whole(tool.pace.value * tool.streams / 1e3)}"]
    return Plan(
        "nuttcp",
        ("nuttcp", *words, ends.address),
        server=("nuttcp", "-1", "--nofork", "-P", str(port)),
        port=port,
    )


def _seconds(scenario: Scenario) -> str:
    """Duration in whole seconds, as not every version of the tools takes fractions."""
    duration = DURATION_S if scenario.tool.duration is None else scenario.tool.duration.value
    if duration < 1:
        raise InputError(f"tool.duration {duration:g} s", "at least 1 s")
    return _whole(duration)


def _iperf3(scenario: Scenario, ends: Ends, given: Mapping[str, object]) -> Plan:
    tool = scenario.tool
    port = ends.port or 5201
    words = ["-c", ends.address, "-p", str(port), "-J"]
    words += ["-t", _seconds(scenario)] if tool.bytes is None else ["-n", _whole(tool.bytes.value)]
    words += [] if tool.streams == 1 else ["-P", str(tool.streams)]
    words += [] if tool.window.value == 0 else ["-w", _whole(tool.window.value)]
    words += [] if tool.warm_up.value == 0 else ["-O", _whole(tool.warm_up.value)]
    words += [] if tool.pace is None else ["-b", _whole(tool.pace.value)]
    words += ["-l", _whole(tool.message.value)] if "tool.message" in given and tool.message is not None else []
    words += ["-C", str(given["sender.congestion_control"])] if "sender.congestion_control" in given else []
    return Plan(
        "iperf3",
        ("iperf3", *words),
        server=("iperf3", "-s", "-1", "-p", str(port)),
        port=port,
        log="json",
    )


def _dd(scenario: Scenario, ends: Ends, _: Mapping[str, object]) -> Plan:
    tool = scenario.tool
    block, count = _blocks(scenario)
    size = (f"bs={block}", f"count={count}")
    if tool.source_end == "disk":
        how = ("iflag=direct",) if tool.io == "direct" else ()
        fill = (
            "dd",
            "if=/dev/zero",
            f"of={ends.file}",
            f"bs={BLOCK}",
            f"count={-(-block * count // BLOCK)}",
            "conv=fsync",
        )
        return Plan(
            "dd",
            ("dd", f"if={ends.file}", "of=/dev/null", *size, *how),
            prepare=None if ends.file_is_there else fill,
            file=None if ends.file_is_there else ends.file,
        )
    how = ("oflag=direct",) if tool.io == "direct" else ("conv=fdatasync",)
    return Plan("dd", ("dd", "if=/dev/zero", f"of={ends.file}", *size, *how), at="receiver", file=ends.file)


def _blocks(scenario: Scenario) -> tuple[int, int]:
    """Block size and number of blocks of a run on a file."""
    tool = scenario.tool
    block = BLOCK if tool.request is None else int(tool.request.value)
    amount = AMOUNT if tool.bytes is None else int(tool.bytes.value)
    return block, max(1, amount // block)


def _fio(scenario: Scenario, ends: Ends, _: Mapping[str, object]) -> Plan:
    tool = scenario.tool
    block, count = _blocks(scenario)
    reads = tool.source_end == "disk"
    words = ["--name=hecn", f"--filename={ends.file}", f"--rw={'read' if reads else 'write'}", f"--bs={block}"]
    words += [f"--size={block * count}", f"--direct={int(tool.io == 'direct')}", f"--iodepth={tool.outstanding}"]
    words += [f"--ioengine={'libaio' if tool.outstanding > 1 else 'psync'}", "--thread", "--output-format=json"]
    words += [] if reads or tool.io == "direct" else ["--end_fsync=1"]
    left = None if reads and ends.file_is_there else ends.file
    return Plan("fio", ("fio", *words), at="sender" if reads else "receiver", file=left, log="json")


_TOOLS: Final[Mapping[str, Callable[[Scenario, Ends, Mapping[str, object]], Plan]]] = {
    "nuttcp": _nuttcp,
    "iperf3": _iperf3,
    "dd-read": _dd,
    "dd-write": _dd,
    "fio-read": _fio,
    "fio-write": _fio,
}


def shown(words: Sequence[str]) -> str:
    """Command line of a program and its arguments, quoted for a shell.

    Parameters
    ----------
    words
        The program and its arguments.

    Returns
    -------
    str
        The command line.

    Examples
    --------
    >>> shown(["dd", "if=my file"])
    "dd 'if=my file'"
    """
    return shlex.join(words)
