"""Nothing that is read is run: which functions the package calls, and which it may never call.

Ruff's rules S refuse pickle, marshal, eval, exec, unsafe YAML and shells; the first test asserts that they are on. What
they do not know is looked for here in the syntax of every module.

Nor does a link or a file that somebody planted say where output goes: `hecn_analysis.files.whole` alone makes output
files, and the last tests look for any other way to make or to change one.
"""

import ast
import pickle
import re
import tomllib

import duckdb
import pytest
from pyarrow import ArrowInvalid

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import HecnError
from hecn_analysis.base.kernels import OwnKernels
from tests.parsed import parsed

#: Where a rule is lifted, and how often; each has its reason beside it.
LIFTED = {
    ("archive/selection.py", "S608"): 1,
    ("base/children.py", "S108"): 1,
    ("briefs/html.py", "S704"): 6,
    ("briefs/index.py", "S704"): 2,
    ("briefs/pdf.py", "S603"): 1,
    ("counters/graphs/rrdtool_dump.py", "S603"): 1,
    ("live/programs.py", "S603"): 1,
    ("live/snmp.py", "S509"): 1,
    ("watching/ports.py", "S608"): 1,
    ("watching/web.py", "S310"): 1,
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


@pytest.fixture(scope="module")
def modules(root):
    """Calls and imports of every module, by its path in the checkout."""
    return {
        path.relative_to(root).as_posix(): [
            node for node in ast.walk(parsed(path)) if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)
        ]
        for folder in ("hecn_analysis", "tools")
        for path in sorted((root / folder).rglob("*.py"))
    }


def faults(nodes):
    """Lines of a module that could run what was read."""
    for node in nodes:
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
    assert list(faults(ast.walk(ast.parse(line))))


def test_no_module_could_run_what_it_reads(modules):
    found = [f"{path}:{line}: {what}" for path, nodes in modules.items() for line, what in faults(nodes)]
    assert [one.partition(":")[0] for one in found] == ALLOWED


#: Modules that write files by other means, and why they may. What archives do is tested in `tests/archive/`.
WRITERS = {
    "hecn_analysis/files/whole.py": "it is what all others use",
    "hecn_analysis/briefs/_kernel.py": "a list in the kernel's own folder, which only the user can enter",
    "hecn_analysis/base/progress.py": "notes of how far a child is, in a private folder of its parent",
    "hecn_analysis/traffic/bulk.py": "it fills a file that `whole.aside` has made",
    "hecn_analysis/watching/incoming.py": "beginnings of logs, in a temporary folder that only the user can enter",
}
ARCHIVE = "hecn_analysis/archive"

OPENERS = {"open", "fdopen", "ZipFile", "GzipFile", "BZ2File", "LZMAFile", "FileIO"}
#: Functions that make or change a file, by their last name.
WRITE = {"write_text", "write_bytes", "write_html", "write_image", "write_table", "write_feather", "write_dataset"}
WRITE |= {"ParquetWriter", "savefig", "savetxt", "savez", "savez_compressed", "tofile", "FileHandler", "touch"}
WRITE |= {"mkdir", "makedirs", "mkfifo", "mknod", "symlink", "symlink_to", "hardlink_to", "link_to", "renames"}
WRITE |= {"copyfile", "copy2", "copytree", "move", "unpack_archive", "make_archive", "extract", "extractall"}
WRITE |= {"NamedTemporaryFile", "mkstemp", "mktemp"}
#: The same, where they are called by this whole name.
WRITE |= {"nbformat.write", "h5py.File", "shutil.copy"}
WRITE |= {"os.rename", "os.replace", "os.link", "os.truncate", "np.save", "numpy.save"}
#: Methods of tables that give text without an argument, and write a file with one.
TABLE = {"to_csv", "to_json", "to_html", "to_parquet", "to_feather", "to_excel", "to_string", "to_latex", "to_orc"}
WRITING_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "O_TRUNC"}


def writes(nodes):
    """Lines of a module that make or change a file."""
    for node in nodes:
        if isinstance(node, ast.Call) and is_write(node):
            yield node.lineno, f"calls {ast.unparse(node.func)}"


def dotted(node):
    """Name of what is called, with its dots; what it is taken of is left out where that is no name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def is_write(call):
    """Whether a call may make or change a file, or give it another name."""
    name = dotted(call.func)
    last = name.rpartition(".")[2]
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in WRITE or name == "webbrowser.open" or (call.args and dotted(call.args[0]) == "os.devnull"):
        return name in WRITE
    if name == "os.open":
        return any(isinstance(node, ast.Attribute) and node.attr in WRITING_FLAGS for node in ast.walk(call))
    if last in OPENERS:
        return "fileobj" not in keywords and not opens_to_read(call, keywords)
    if last in {"rename", "replace"}:  # of a path; those of text, times and tables have other arguments
        return len(call.args) == 1 and not keywords and not isinstance(call.args[0], ast.Constant | ast.Dict)
    if last in TABLE:
        return bool(call.args) or bool({"path", "path_or_buf", "buf", "excel_writer"} & set(keywords))
    return last in WRITE


def opens_to_read(call, keywords):
    """Whether a file is opened to read, as it is unless a mode says otherwise."""
    is_method = isinstance(call.func, ast.Attribute) and not dotted(call.func).startswith(
        ("io.", "gzip.", "bz2.", "lzma.", "tarfile.", "zipfile.", "codecs.", "os.")
    )
    place = 0 if is_method and call.func.attr == "open" else 1
    mode = keywords.get("mode", call.args[place] if len(call.args) > place else ast.Constant("r"))
    return isinstance(mode, ast.Constant) and str(mode.value).startswith(("r", "U")) and "+" not in str(mode.value)


@pytest.mark.parametrize(
    "line",
    [
        "Path(name).write_text('x')",
        "open(name, 'w')",
        "open(name, mode=mode)",
        "path.open('ab')",
        "path.open('r+')",
        "os.open(name, os.O_WRONLY | os.O_CREAT)",
        "os.fdopen(descriptor, 'w')",
        "gzip.open(name, 'wt')",
        "tarfile.open(part, 'w:gz')",
        "zipfile.ZipFile(name, 'w')",
        "frame.to_csv(name)",
        "frame.to_json(path_or_buf=name)",
        "frame.to_parquet(name)",
        "pq.write_table(table, name)",
        "figure.write_html(name)",
        "shutil.copy(one, other)",
        "nbformat.write(notebook, name)",
        "part.rename(target)",
        "part.replace(target)",
        "os.replace(part, target)",
        "archive.extractall(folder)",
        "folder.mkdir()",
        "tempfile.NamedTemporaryFile()",
    ],
)
def test_what_could_write_a_file_is_seen(line):
    assert list(writes(ast.walk(ast.parse(line))))


@pytest.mark.parametrize(
    "line",
    [
        "open(name)",
        "path.open('rb')",
        "path.open(encoding='utf-8', newline='')",
        "os.open(name, os.O_RDONLY)",
        "open(os.devnull, 'w')",
        "tarfile.open(fileobj=stream, mode='w:gz')",
        "frame.to_csv()",
        "figure.to_html(include_plotlyjs=True)",
        "text.replace('a', 'b')",
        "time.replace(tzinfo=UTC)",
        "series.rename('bytes')",
    ],
)
def test_what_writes_no_file_is_passed_over(line):
    assert not list(writes(ast.walk(ast.parse(line))))


def test_output_files_are_made_in_one_place(modules):
    found = [f"{path}:{line}: {what}" for path, nodes in modules.items() for line, what in writes(nodes)]
    others = [one for one in found if one.partition(":")[0] not in WRITERS and not one.startswith(ARCHIVE)]
    assert others == [], "use hecn_analysis.files.whole"
    assert {one.partition(":")[0] for one in found} >= set(WRITERS), "an exception that nobody needs"


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
