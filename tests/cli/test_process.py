"""The command as a process: closed standard streams, and signals at any moment."""

import os
import signal
import subprocess
import sys
import time

import pytest

from hecn_analysis.base.places import data_dir

pytestmark = pytest.mark.slow

HECN = f"{sys.executable} -m hecn_analysis"
ENTRY = [sys.executable, "-c", "import sys; from hecn_analysis.__main__ import main; sys.exit(main())"]
LOG = data_dir() / "logs/c-systems-dd.txt"
CLOSED = "hecn: found a closed standard output, expected an open one; redirect it, to a file or to /dev/null\n"


def shell(line, folder):
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("command", [f"parse {LOG}", "--version", "--help", "limits --help", "completion bash"])
def test_output_that_is_lost_is_an_error(command, tmp_path):
    ended = shell(f"{HECN} {command} >&-", tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", CLOSED)
    assert shell(f"{HECN} {command} >&- 2>&- <&-", tmp_path).returncode == 1


def test_a_closed_standard_output_is_no_error_when_nothing_is_printed(tmp_path):
    for closed in (">&-", ">&- 2>&-", ">&- 2>&- <&-"):
        assert shell(f"{HECN} parse {LOG} -o runs.csv {closed}", tmp_path).returncode == 0
        assert len((tmp_path / "runs.csv").read_text().splitlines()) == 3
    assert (
        shell(f"{HECN} parse {LOG} -o /dev/stdout >&-", tmp_path).stderr == "hecn: /dev/stdout: Bad file descriptor\n"
    )


def test_a_closed_standard_error_loses_no_output(tmp_path):
    whole = shell(f"{HECN} parse {LOG} nothing-there", tmp_path)
    assert whole.returncode == 1
    assert "nothing-there: unreadable" in whole.stderr
    ended = shell(f"{HECN} parse {LOG} nothing-there 2>&-", tmp_path)
    assert (ended.returncode, ended.stdout) == (1, whole.stdout)


@pytest.mark.parametrize("command", ["parse -", "counters -", "inventory -", "predict --cases -"])
def test_a_closed_standard_input_is_named(command, tmp_path):
    ended = shell(f"{HECN} {command} <&-", tmp_path)
    assert (ended.returncode, ended.stderr) == (
        1,
        "hecn: -: found a closed standard input, expected one that can be read; give a file instead\n",
    )


def started(words, folder):
    """Start a command that waits for its standard input, and wait until it does."""
    process = subprocess.Popen(
        [*ENTRY, *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdin.write("x\n" * 100_000)  # more than a pipe holds: it reads when this returns
    process.stdin.flush()
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_it_without_a_word(number, tmp_path):
    process = started(["parse", "-", "-o", "runs.csv"], tmp_path)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130 if number is signal.SIGINT else -number, "", "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_leaves_no_part_file(number, tmp_path):
    os.mkfifo(tmp_path / "begun")
    code = (
        "import sys; from hecn_analysis import cli; from hecn_analysis.__main__ import main\n"
        "from hecn_analysis.files import whole\n"
        "def run():\n"
        "    with whole.aside('runs.csv') as part:\n"
        "        part.write(b'half of')\n"
        "        open('begun', 'w').close()\n"
        "        import time; time.sleep(60)\n"
        "cli.main = run; sys.exit(main())"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stderr=subprocess.PIPE)
    (tmp_path / "begun").read_text()
    assert len(list(tmp_path.glob(".hecn-*"))) == 1
    process.send_signal(number)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == -number
    assert [path.name for path in tmp_path.iterdir()] == ["begun"]


def test_a_signal_that_was_ignored_stays_ignored(tmp_path):
    """As nohup does, and shells with what they start in the background."""
    code = (
        "import signal, subprocess, sys\n"
        "for one in (signal.SIGINT, signal.SIGHUP): signal.signal(one, signal.SIG_IGN)\n"
        "import os; os.execv(sys.executable, [sys.executable, '-m', 'hecn_analysis', 'parse', '-', '--format', 'csv'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    process.stdin.write("x\n" * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGHUP)
    out, _ = process.communicate(LOG.read_text(), timeout=60)
    assert len(out.splitlines()) == 3


def test_an_interrupt_before_the_command_is_known_is_quiet(tmp_path):
    """Sent while the modules of the command line are imported, which is where the project's own code begins."""
    code = (
        "import os, signal, sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == module: os.kill(os.getpid(), signal.SIGINT)\n"
        "module = sys.argv.pop(1)\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from hecn_analysis.__main__ import main\n"
        "sys.exit(main())"
    )
    for module, status in (("hecn_analysis.cli", -signal.SIGINT), ("argparse", -signal.SIGINT), ("pandas", 130)):
        ended = subprocess.run(
            [sys.executable, "-c", code, module, "parse", str(LOG)], cwd=tmp_path, capture_output=True, check=False
        )
        assert (ended.returncode, ended.stderr) == (status, b""), module


def test_nothing_is_imported_before_an_interrupt_is_quiet(tmp_path):
    """All that Python imports before the first line of the entry point is its own, the package and the entry point."""
    code = "import sys; before = {*sys.modules}; import hecn_analysis.__main__; print(*{*sys.modules} - before)"
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert {*ended.stdout.split()} == {"hecn_analysis", "hecn_analysis.__main__"}


def test_interrupted_workers_say_nothing(tmp_path):
    for number in range(80):
        (tmp_path / f"{number}.log").write_bytes(LOG.read_bytes() * 200)
    for after_s in (0.7, 1.5, 2.5):
        process = subprocess.Popen(
            [*ENTRY, "parse", ".", "--processes", "2"],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        time.sleep(after_s)
        os.killpg(process.pid, signal.SIGINT)  # to all of them, as a terminal does
        _, err = process.communicate(timeout=120)
        assert err.strip() == b""
        assert process.returncode in {0, 130, -signal.SIGINT}
