"""Nothing that is read is run: which functions the package calls, and which it may never call.

Ruff's rules S refuse pickle, marshal, eval, exec, unsafe YAML and shells; the first test asserts that they are on. What
they do not know is looked for here in the syntax of every module.
"""

import ast
import pickle
import re
import tomllib

import duckdb
import pytest
from pyarrow import ArrowInvalid

from hecn_analysis import tables
from hecn_analysis.archive import Archive
from hecn_analysis.errors import HecnError
from hecn_analysis.kernels import OwnKernels

#: Where a rule is lifted, and how often; each has its reason beside it.
LIFTED = {
    ("archive_selection.py", "S608"): 1,
    ("briefs/html.py", "S704"): 6,
    ("briefs/index.py", "S704"): 2,
    ("briefs/pdf.py", "S603"): 1,
    ("counters/rrdtool_dump.py", "S603"): 1,
    ("live/programs.py", "S603"): 1,
    ("live/snmp.py", "S509"): 1,
}

#: Where such a call is made all the same: expressions of a mapping, once they were found to be arithmetic and no more
#: (`tests/prediction/test_validation.py`).
ALLOWED = ["hecn_analysis/prediction/mapping.py"]

#: Modules that turn bytes into objects or run what they are given.
MODULES = {"pickle", "_pickle", "cPickle", "marshal", "shelve", "dbm", "dill", "cloudpickle", "joblib", "code", "pty"}
MODULES |= {"codeop", "ctypes", "cffi", "jsonpickle", "telnetlib", "xmlrpc"}
#: The same as functions, whoever's they are.
FUNCTIONS = {"read_pickle", "to_pickle", "read_hdf", "system", "popen", "startfile", "unsafe_load", "full_load", "eval"}
FUNCTIONS |= {"getoutput", "getstatusoutput", "from_pickle", "load_pickle", "run_line_magic", "run_cell"}
FUNCTIONS |= {f"{kind}{how}" for kind in ("exec", "spawn") for how in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")}
BUILTINS = {"eval", "exec", "compile", "__import__", "input"}
WORDS = {"shell", "allow_pickle", "preexec_fn", "executable"}
STARTS = {"run", "Popen", "call", "check_call", "check_output"}


def lifted(root):
    found = {}
    for path in sorted((root / "hecn_analysis").rglob("*.py")):
        for codes in re.findall(r"# (?:ruff: ?)?noqa: ?([A-Z]+\d+(?:[, ]+[A-Z]+\d+)*)", path.read_text()):
            for code in re.findall(r"\bS\d+", codes):
                if code != "S101":
                    key = (path.relative_to(root / "hecn_analysis").as_posix(), code)
                    found[key] = found.get(key, 0) + 1
    return found


def test_rules_of_security_are_on_and_lifted_only_where_it_was_thought_of(root):
    lint = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["ruff"]["lint"]
    assert lint["select"] == ["ALL"]
    assert [code for code in lint["ignore"] if re.fullmatch(r"S\d*", code)] == []
    assert [place for place in lint["per-file-ignores"] if "hecn_analysis" in place] == []
    assert lifted(root) == LIFTED
    assert not any("noqa\n" in path.read_text() for path in (root / "hecn_analysis").rglob("*.py"))


def faults(tree):
    """Lines of a module that could run what was read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from ((node.lineno, f"imports {name}") for name in names if name.partition(".")[0] in MODULES)
        elif isinstance(node, ast.Call):
            yield from ((node.lineno, what) for what in calls(node))


def calls(node):
    """What is wrong with a call."""
    if isinstance(node.func, ast.Name) and node.func.id in BUILTINS:
        yield f"calls {node.func.id}"
    if isinstance(node.func, ast.Attribute):
        name = ast.unparse(node.func)
        if node.func.attr in FUNCTIONS or name in {"yaml.load", "yaml.load_all"}:
            yield f"calls {name}"
        if name.startswith("subprocess.") and node.func.attr in STARTS and not is_list(node.args[0]):
            yield f"starts {ast.unparse(node.args[0])}"
    yield from (f"gives {keyword.arg}=" for keyword in node.keywords if keyword.arg in WORDS)


def is_list(command):
    """Whether a command may be a list of words; text would be split or handed to a shell."""
    return isinstance(command, ast.List | ast.Name | ast.Attribute | ast.Starred)


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from dill import loads",
        "import numpy as np; np.load('x', allow_pickle=True)",
        "import pandas as pd; pd.read_pickle('x')",
        "frame.eval('x')",
        "eval('1')",
        "__import__(name)",
        "yaml.load(text)",
        "subprocess.run(f'ls {name}')",
        "subprocess.run(['ls'], shell=True)",
        "os.system(name)",
        "os.execvp(name, [])",
    ],
)
def test_what_could_run_text_is_seen(line):
    assert list(faults(ast.parse(line)))


def test_no_module_could_run_what_it_reads(root):
    found = [
        f"{path.relative_to(root)}:{line}: {what}"
        for folder in ("hecn_analysis", "tools")
        for path in sorted((root / folder).rglob("*.py"))
        for line, what in faults(ast.parse(path.read_text()))
    ]
    assert [one.partition(":")[0] for one in found] == ALLOWED


class Bomb:
    """What makes whoever unpickles it write a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def test_an_archive_that_somebody_else_made_is_data(tmp_path):
    """Its units are Parquet; what only says so is refused, and not unpickled."""
    ran = tmp_path / "ran"
    bomb = pickle.dumps(Bomb(ran))
    pickle.loads(bomb).close()  # noqa: S301 (our own, to see that it goes off)
    ran.unlink()
    store = Archive(tmp_path / "archive")
    store.add("one", {"runs": tables.make("runs", [{"source_file": "a.log", "run": 0, "tool": "dd"}])})
    units = list(store.folder.rglob("*.parquet"))
    assert units
    for unit in units:
        unit.write_bytes(bomb)
    with pytest.raises((HecnError, ArrowInvalid), match=r"[Pp]arquet"):
        Archive(store.folder).table("runs")
    with pytest.raises((HecnError, duckdb.Error)):
        Archive(store.folder).query("select * from runs")
    assert not ran.exists()


def test_jupyterlab_is_started_for_this_machine_and_asks_for_a_token(root):
    """By its own defaults, which `make lab` leaves alone; its kernels import nothing from their folder."""
    from jupyter_server.auth import IdentityProvider  # noqa: PLC0415 (slow, and only this test needs it)
    from jupyter_server.serverapp import ServerApp  # noqa: PLC0415 (same)

    (started,) = re.findall(r"/jupyter lab (.*)", (root / "Makefile").read_text())
    assert started == "--notebook-dir notebooks $(KERNELS) $(ARGS)"
    (option,) = re.findall(r"KERNELS := --ServerApp.kernel_spec_manager_class=(.*)", (root / "Makefile").read_text())
    assert ServerApp(kernel_spec_manager_class=option).kernel_spec_manager_class is OwnKernels
    assert ServerApp().ip == "localhost"
    assert len(IdentityProvider().token) >= 40
