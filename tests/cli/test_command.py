"""The command as a whole: statuses, closed pipes, errors without tracebacks, help whose examples run, completion."""

import functools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import ValidityWarning
from hecn_analysis.base.places import data_dir
from hecn_analysis.cli import COMMANDS, build_parser, main
from hecn_analysis.cli.completion import SHELLS
from hecn_analysis.cli.remarks import warnings_collected
from hecn_analysis.planning.matrix import cells

HECN = [sys.executable, "-m", "hecn_analysis"]
HEAVY = ("numpy", "pandas", "pydantic", "yaml", "plotly", "papermill", "scipy", "jinja2", "tqdm", "shtab")


def run(*words, **options):
    return subprocess.run([*HECN, *words], capture_output=True, check=False, encoding="utf-8", **options)


def all_parsers(parser):
    yield parser
    for below in parser.subcommands.values():
        yield from all_parsers(below)


PARSERS = {parser.prog: parser for parser in all_parsers(build_parser())}
# An example is a line of its own or, with a backslash or a bar at its end, goes on in the next.
EXAMPLES = sorted(
    {
        re.sub(r"\\\n\s*", "", example).strip()
        for parser in PARSERS.values()
        for example in re.findall(r"^  ((?:hecn|printf|nuttcp) (?:.*[\\|]\n)*.*)$", parser.epilog or "", re.MULTILINE)
    }
)


def test_version_is_the_distribution_s(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"hecn {hecn.__version__}\n"


@pytest.mark.parametrize("program", PARSERS)
def test_every_help_says_what_it_is_for_and_shows_an_example(program, capsys):
    words = program.split()[1:]
    with pytest.raises(SystemExit) as exit_:
        main([*words, "--help"])
    out, err = capsys.readouterr()
    assert exit_.value.code == 0
    assert err == ""
    assert PARSERS[program].description
    assert re.search(rf"^examples?:\n(  .*\n)*  .*{program} ", out, re.MULTILINE)
    for argument in PARSERS[program].arguments:
        assert argument.help or argument.dest in {"command", "kind", "action"}, (
            f"{program}: {argument.dest} says nothing"
        )


def test_there_are_examples_of_every_command():
    assert {example.split("hecn ", 1)[1].split()[0] for example in EXAMPLES} == set(COMMANDS)


#: What a command says of its own table on stderr, where nothing is wrong: sums, runs that a cell does not count, notes
#: that say nothing of a transfer.
REMARK = re.compile(
    r"hecn: (\d+ (cells|of \d+ cells|runs? of|agrees?|readings?|retransmissions|other traffic).*|all alike .*"
    r"|reading .*: \d+ of \d+ MB"  # where it takes seconds
    r"|\d+ files? not used: .*|this machine counts as the (sender|receiver) of the runs; .*"
    r"|(nic|disks|cpu)=[\w-]+: .* \([\w.-]+\)"
    r"|(tool|path(\.rate)?) not given: .* assumed(, two hosts in one data centre)?"
    r"|parts with a published price do not reach .*: those with an assumed price are bought, too"
    r"|data/logs/[\w.-]+:\d+: (one of several simultaneous runs, but the cell has single runs|not a repeat of the .*))"
)
NEEDS_OTHERS = ("--dask", "snmp poll", "ssh:me@dtn7")  # a cluster, agents, another host
READS_RRD = re.compile(r"data/counters/session(?!/)")  # the whole folder, in which there are databases of RRDtool
ALONE = re.compile(r"hecn [^|&<>;`$()*?\\]*")  # one command, of which a shell makes the words that stand there


@pytest.fixture(scope="session")
def load_matrix():
    """Loads each matrix once: the examples of its actions share the predictions of its cells."""
    return functools.cache(cells.load_matrix)


@pytest.fixture
def place(root, tmp_path, monkeypatch, load_matrix):
    """The current folder and home of an example: the project's data, and the files that examples name."""
    monkeypatch.setattr(cells, "load_matrix", load_matrix)
    (tmp_path / "data").symlink_to(root / "data")
    examples = {"runs.csv": "measured.csv", "mapping.yaml": "measured.yaml", "growing.yaml": "growing.yaml"}
    for name, file in examples.items():
        (tmp_path / name).write_bytes((root / "docs" / "examples" / file).read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.slow
@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("example", [each for each in EXAMPLES if not any(word in each for word in NEEDS_OTHERS)])
def test_example_in_a_help_runs(example, example_tools, capfd):
    if re.match("hecn archive (?!add)", example):
        main(["archive", "add", "ARCHIVE", "data/transfers/over_time/iperf3-1.json"])
        capfd.readouterr()
    if READS_RRD.search(example) and shutil.which("rrdtool") is None:
        pytest.skip("rrdtool is not installed (apt install rrdtool)")
    if ALONE.fullmatch(example):  # within this process: loading the packages is what most of them take longest for
        try:
            status = main(shlex.split(example)[1:])
        except SystemExit as exit_:  # argparse's way out
            status = exit_.code
    else:
        path = {**os.environ, "PATH": f"{example_tools}:{os.environ['PATH']}"}
        status = subprocess.run(["bash", "-euo", "pipefail", "-c", example], env=path, check=False).returncode
    remarks = [line for line in capfd.readouterr().err.splitlines() if not REMARK.fullmatch(line)]
    assert (status, remarks) == (0, [])


@pytest.fixture(scope="session")
def example_tools(tmp_path_factory):
    """Folder for PATH in which hecn is this one and nuttcp prints one line."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "hecn").write_text(f'#!/bin/sh\nexec {shlex.join(HECN)} "$@"\n')
    (folder / "nuttcp").write_text(
        "#!/bin/sh\necho ' 1178.1250 MB /  10.00 sec =  988.2643 Mbps 2 %TX 4 %RX 0 retrans 0.11 msRTT'\n"
    )
    for program in folder.iterdir():
        program.chmod(0o755)
    return folder


def test_a_reader_that_has_seen_enough_is_no_error(root):
    rows = ",".join(["512"] * 5000)  # far more than a pipe holds: hecn is still writing when head goes
    line = f"{shlex.join(HECN)} limits pcix --clock 133MHz --width 64 --burst {rows} --format json | head -1"
    done = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"], cwd=root, capture_output=True, check=False, encoding="utf-8"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[\n", "")


def test_a_closed_pipe_is_no_error_at_the_last_flush_either(root):
    line = f"{shlex.join(HECN)} limits tcp --rtt 80ms | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], cwd=root, capture_output=True, check=False, encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")


def test_interrupt_ends_quietly(tmp_path):
    pipe = tmp_path / "never-written"
    os.mkfifo(pipe)
    process = subprocess.Popen([*HECN, "predict", "--cases", str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process, pipe.open("w"):  # opens when hecn does: from here on, it waits for data
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_unexpected_error_is_one_line_that_asks_for_a_report(monkeypatch, capsys):
    def broken():
        raise KeyError("surprise")

    monkeypatch.setitem(hecn.limits.KINDS, "memory", broken)
    assert main(["limits", "memory"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "hecn: this is a defect of hecn, please report it: KeyError: 'surprise'"
        " (HECN_DEBUG=1 shows the traceback to send along)\n"
    )


def test_debug_shows_the_traceback():
    done = run("limits", "tcp", "--rtt", "-1s", env={**os.environ, "HECN_DEBUG": "1"})
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert "RangeError: rtt: found -1" in done.stderr


def test_help_loads_nothing_heavy():
    code = f"""
import sys
from hecn_analysis.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
print("loaded:", *sorted(sys.modules.keys() & set({HEAVY!r})), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    assert done.stderr == "loaded:\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_installed_by_one_command(shell, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["completion", shell, "--install"]) == 0
    out, err = capsys.readouterr()
    installed = Path(out.strip())
    assert installed.is_relative_to(tmp_path)
    assert "open a new shell" in err
    main(["completion", shell])
    assert installed.read_text() == capsys.readouterr().out


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_commands_kinds_and_options(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in (*COMMANDS, *hecn.limits.KINDS, "table", "at-least"):
        assert word in script
    if shell != "tcsh":  # the oldest shtab that is allowed ends there at the second level
        assert "max-payload" in script


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hecn pre", {"predict"}),
        ("hecn limits p", {"pagecache", "pcie", "pcix"}),
        ("hecn limits pcie --op r", {"read"}),
        ("hecn parse --table s", {"streams"}),
        ("hecn parse log", {"logs"}),
        ("hecn parse -o run", {"runs.csv"}),
        ("hecn completion z", {"zsh"}),
    ],
)
def test_bash_completes(line, expected, capsys, tmp_path):
    main(["completion", "bash"])
    (tmp_path / "hecn.bash").write_text(capsys.readouterr().out)
    (tmp_path / "logs").mkdir()
    (tmp_path / "runs.csv").touch()
    words = shlex.split(line)
    code = f"""
source ./hecn.bash
COMP_WORDS=({shlex.join(words)}) COMP_CWORD={len(words) - 1} COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
_shtab_hecn
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", code], cwd=tmp_path, capture_output=True, check=False, encoding="utf-8")
    assert done.stderr == ""
    assert {word.strip().rstrip("/") for word in done.stdout.splitlines()} == expected


def test_json_of_a_prediction_has_the_documented_keys(root, capsys, monkeypatch):
    monkeypatch.chdir(root)
    assert main(["predict", "tests/cli/inputs/lan.yaml", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    documented = {
        "throughput_bps",
        "low_bps",
        "high_bps",
        "bottleneck",
        "bottleneck_class",
        "utilisation",
        "ladder",
        "warnings",
    }
    assert documented <= found.keys()
    assert found["low_bps"] <= found["throughput_bps"] <= found["high_bps"]
    assert found["ladder"][0]["resource"] == found["bottleneck"]


def test_cases_give_a_result_a_row_in_order(root, capsys, monkeypatch):
    monkeypatch.chdir(root)
    assert main(["predict", "--cases", "tests/cli/inputs/cases.csv", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in found] == ["1", "2", "3", "4", "5", "6"]
    assert [row["note"] for row in found] == [
        "with timestamps",
        "without, smaller header",
        None,
        None,
        None,
        "too short",
    ]
    assert ["error" in row for row in found] == [False, False, True, True, False, True]
    with_timestamps, without = (row["throughput_bps"] for row in found[:2])
    assert with_timestamps == pytest.approx(941.48e6, rel=0.01)
    assert without / with_timestamps == pytest.approx(1460 / 1448, rel=1e-3)


def test_settings_hold_for_every_case(root, capsys, monkeypatch):
    monkeypatch.chdir(root)
    main(["predict", "--cases", "tests/cli/inputs/cases.csv", "--set", "path.rate=100Mb/s", "--format", "json"])
    rates = [row["throughput_bps"] for row in json.loads(capsys.readouterr().out) if "error" not in row]
    assert max(rates) < 100e6


def test_one_scenario_is_an_object_and_several_are_a_list(root, capsys, monkeypatch):
    monkeypatch.chdir(root)
    lan = "tests/cli/inputs/lan.yaml"
    main(["predict", lan, "--format", "json"])
    one = json.loads(capsys.readouterr().out)
    main(["predict", lan, lan, "--format", "json"])
    assert json.loads(capsys.readouterr().out) == [{"scenario": lan, **one}] * 2


@pytest.mark.parametrize(("wanted", "status"), [("9Gb/s", 0), ("9.95Gb/s", 1)])
def test_at_least_is_the_exit_status(wanted, status, root, monkeypatch):
    monkeypatch.chdir(root)
    assert main(["predict", "tests/cli/inputs/lan.yaml", "--at-least", wanted]) == status


def test_limits_of_the_documents_to_all_digits(capsys):
    main(["limits", "pcie", "--gen", "2", "--lanes", "16", "--max-payload", "128,256", "--format", "json"])
    tmt = [row["tmt_bps"] / 1e9 for row in json.loads(capsys.readouterr().out)]
    assert tmt == pytest.approx([53.8947, 58.5143], abs=5e-5)


def test_many_errors_are_counted_not_all_told(tmp_path, capsys):
    cases = tmp_path / "cases.csv"
    cases.write_text("id,sender\n" + "".join(f"{number},nobody\n" for number in range(50)))
    assert main(["predict", "--cases", str(cases), "--format", "csv"]) == 1
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 51
    assert len(err.splitlines()) == 21
    assert err.splitlines()[-1] == "hecn: … and 30 more: each row has its error"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "what"),
    [("parse", "runs"), ("counters", "sources"), ("inventory", "outputs"), ("traffic", "rates")],
)
def test_where_nothing_is_found_is_said(command, what, folder, capsys):
    (folder / "empty").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "note.txt").write_text("see you tomorrow\n")
    said = "found no file in empty, expected a file, or a folder or archive with files"
    assert main([command, "empty", "--format", "json"]) == 1
    assert capsys.readouterr() == ("[]\n", f"hecn: 0 {what} read: {said}\n")
    assert main([command, "empty", "full"]) == 1  # told with its problem, and once
    assert "found no file in" not in capsys.readouterr().err


def test_warnings_of_limits_are_remarks_and_others_go_their_way(capfd):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with warnings_collected():
            for _ in range(2):
                warnings.warn("mtu: found 9, the formula holds for more", ValidityWarning, stacklevel=1)
            warnings.warn("soon gone", FutureWarning, stacklevel=1)
    assert [str(warning.message) for warning in caught] == ["soon gone"]
    assert capfd.readouterr().err == "hecn: mtu: found 9, the formula holds for more\n"


def test_a_closed_output_and_one_of_few_characters_are_no_defect(root, tmp_path):
    log = root / "data" / "transfers" / "before" / "nuttcp.txt"
    code = f"{sys.executable} -m hecn_analysis parse {log} -o {tmp_path}/runs.txt >&- 2>&-"
    assert subprocess.run(["sh", "-c", code], check=False).returncode == 0
    assert "µs" in (tmp_path / "runs.txt").read_text(encoding="utf-8")
    said = run("parse", str(log), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (said.returncode, said.stderr) == (0, "")
    assert "\\xb5s" in said.stdout


PARTS = ["--sender", "ideal", "--receiver", "ideal", "--tool", "nuttcp"]
C = ["--sender", "c", "--receiver", "c", "--path", "lan-2x10ge"]
WITH_SETTINGS = {
    "predict": ["predict", *PARTS, "--set", "path.rate=1Gb/s"],
    "whatif": ["whatif", *PARTS, "--set", "path.rate=1Gb/s"],
    "whatif over values": ["whatif", *PARTS, "--set", "path.rate=1Gb/s", "--vary", "path.loss=0,1e-5"],
    "advise": ["advise", *PARTS, "--free", "--set", "path.rate=1Gb/s"],
    "measure": ["measure", "--tool", "nuttcp", "--dry-run", "--set"],
    "matrix": ["matrix", "plan", "two.yaml", "--set"],
    "calibrate": ["calibrate", str(data_dir() / "logs" / "c-systems-nuttcp.txt"), *C, "--set"],
    "purchase": ["purchase", "--target", "10Gb/s", "--path", "lan-10ge", "--between", "memory", "--set"],
}


@pytest.mark.slow  # every command
@pytest.mark.parametrize("command", WITH_SETTINGS)
def test_every_command_warns_once_of_a_setting_without_a_unit(command, capsys, tmp_path, monkeypatch):
    words = WITH_SETTINGS[command]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.yaml").write_text(
        "title: two tools\nscenario: {sender: ideal, receiver: ideal, path.rate: 10 Gb/s}\n"
        "grids: {both: {axes: {tool: [iperf3, nuttcp]}}}\n"
    )
    warning = "path.rtt=80 is read as 80.0 s: write the unit if you mean another"
    main([*words[: words.index("--set") + 1], "path.rtt=80", *words[words.index("--set") + 1 :]])
    printed = capsys.readouterr()
    assert (printed.out + printed.err).count(warning) == 1
    main([*words[: words.index("--set") + 1], "path.rtt=80ms", *words[words.index("--set") + 1 :]])
    printed = capsys.readouterr()
    assert "is read as" not in printed.out + printed.err


def test_a_value_without_a_unit_among_others_is_warned_of(capsys):
    assert main(["whatif", *PARTS, "--set", "path.rate=1Gb/s", "--vary", "path.rtt=1ms,80"]) == 0
    assert capsys.readouterr().err == "hecn: path.rtt=80 is read as 80.0 s: write the unit if you mean another\n"


def test_what_a_command_fills_in_and_what_a_host_is_are_not_warned_of(root, capsys):
    assert main(["advise", str(root / "data" / "inventory" / "virtual-machine"), "--free"]) == 0
    assert capsys.readouterr().err == ""
