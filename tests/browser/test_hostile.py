"""Text that attacks those who look at it goes through every way out, and a real browser tells what it did there.

Logs, counters, captured outputs and descriptions of hosts, paths, tools and scenarios hold scripts, handlers of events,
links, Markdown, LaTeX, Plotly's own mini-HTML and marks that turn text around, in all places that take words, and so do
names of files and folders. They become briefs, an index, a report, results in notebooks, figures of commands, pictures
and paper. There nothing may run, nothing may be asked of another host, nothing may be a link, and the words must be
there to read. Secrets that stand beside them must not.

Notebooks run in this process instead of kernels of their own, whose starts would take longer than all the rest.
"""

import contextlib
import io
import json
import re
import shutil
import subprocess
from functools import partial

import nbformat
import pytest
import yaml
from nbformat.v4 import new_output
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

import hecn_analysis as hecn
from hecn_analysis import briefs
from hecn_analysis.briefs import _run, show
from hecn_analysis.cli import main
from hecn_analysis.figures import plot_ladder, plot_resource_map, plot_utilisation

#: Everything that runs sets this name of the page; the number says what it was.
RUN = "window.hacked=(window.hacked||'')+"
EVIL = (
    f"EVIL<img src=x onerror=\"{RUN}'a'\"><script>{RUN}'b'</script></script></style></title><!--"
    f"<a href=\"javascript:{RUN}'c'\">link</a><a href='http://127.0.0.1:9/d'>link</a><svg onload=\"{RUN}'e'\">"
    f"\" onmouseover=\"{RUN}'f'\" ' onfocus='{RUN}1' autofocus='![g](http://127.0.0.1:9/g.png)[h](javascript:{RUN}'h')"
    f"<http://127.0.0.1:9/i>$\\href{{javascript:{RUN}'j'}}{{k}}$ %{{x}} {{{{7*7}}}} =1+1 \u202egnp.exe"
)
#: The same where there is room for a word only, and in names of files.
WORD = f"EVIL<svg/onload={RUN}1>\"'`$x$"
NAME = WORD.replace("/", " ")

SECRET = "CANARY7x9"  # noqa: S105 (one that is planted)

NAMED = re.compile(r"^(\s*(?:model name|Model name|Product Name|Manufacturer|Version)\s*: *).*", re.MULTILINE)


def planted(text, *words):
    """A text of JSON whose values of these keys are hostile."""

    def hostile(value):
        if isinstance(value, dict):
            return {key: EVIL if key in words and isinstance(one, str) else hostile(one) for key, one in value.items()}
        return [hostile(one) for one in value] if isinstance(value, list) else value

    return json.dumps(hostile(json.loads(text)))


@pytest.fixture(scope="module")
def folder(root, tmp_path_factory):
    """What somebody sent: logs, counters and captured outputs of a host, in a folder with a hostile name."""
    folder = tmp_path_factory.mktemp("sent") / NAME
    before = root / "data" / "transfers" / "before"
    host = folder / NAME
    shutil.copytree(before / "here", host)
    for name in ("lscpu.json", "lshw.json"):
        text = (host / name).read_text()
        (host / name).write_text(planted(text, "product", "vendor", "description", "version"))
    for name in ("cpuinfo.txt", "lscpu.txt", "dmidecode.txt"):
        text = (host / name).read_text()
        (host / name).write_text(NAMED.sub(lambda found: found[1] + EVIL, text))
    data = json.loads(planted((before / "iperf3-1.json").read_text(), "version", "system_info", "cookie", "congestion"))
    data |= {"title": EVIL, "extra_data": EVIL}
    data["start"]["connected"][0] |= {"local_host": EVIL, "remote_host": EVIL}
    data["start"]["connecting_to"]["host"] = EVIL
    (folder / f"{NAME}.json").write_text(json.dumps(data))
    lines = (before / "nuttcp.txt").read_text().splitlines()[:8]
    (folder / f"{NAME}.txt").write_text("\n".join([f"{EVIL}:", *lines, WORD, ""]))
    (folder / f"{NAME}.log").write_text(f"rocommunity {SECRET}\n{EVIL}\nnobody knows this\n")
    (folder / "session").write_text(f"ftp://me:{SECRET}@dtn/\n{lines[-1]}\npassword: {SECRET}\n{lines[-1]}\n")
    device = EVIL.replace("\\", "\\\\").replace('"', '\\"')
    readings = [
        f'node_network_{way}_bytes_total{{device="{device}"}} {at * 10**8} {(1_795_338_000 + 10 * at) * 1000}\n'
        for at in range(1, 40)
        for way in ("receive", "transmit")
    ]
    (folder / f"{NAME}.prom").write_text("".join(readings))
    return folder


@pytest.fixture(scope="module")
def models(root, tmp_path_factory):
    """Descriptions that somebody else wrote, with hostile titles, sources and notes."""
    folder = tmp_path_factory.mktemp("models") / NAME
    folder.mkdir()

    def write(name, model, **changes):
        values = yaml.safe_load((root / "models" / model).read_text()) | changes
        (folder / name).write_text(yaml.safe_dump(values, allow_unicode=True))
        return folder / name

    words = {"title": EVIL, "source": EVIL}
    nic = yaml.safe_load((root / "models/hosts/b.yaml").read_text())["slots"]["nic1"]
    bill = {"year": 2009, "items": [{"item": EVIL, "price": {"value": "999 USD", "basis": "assumed", "source": EVIL}}]}
    host = write("host.yaml", "hosts/b.yaml", **words, bill=bill, slots={"nic1": nic}, arrays={}, files_on=[])
    path = write("path.yaml", "paths/netem-80ms-10ge.yaml", **words)
    tool = write("tool.yaml", "tools/nuttcp.yaml", **words)
    ends = {"sender": str(host), "receiver": str(host), "path": str(path), "tool": str(tool)}
    (folder / "scenario.yaml").write_text(yaml.safe_dump({"title": EVIL, **ends}))
    return folder


def execute(notebook, parameters, into, **_):
    """What `hecn_analysis.briefs._run.execute` does, in this process."""
    made = parameterize_notebook(load_notebook_node(str(notebook)), dict(parameters))
    names, error, outputs = {}, None, []
    with pytest.MonkeyPatch.context() as patch:
        take = partial(new_output, "display_data")
        patch.setattr(show, "_display", lambda data, metadata: outputs.append(take(data, metadata=metadata)))
        for cell in (cell for cell in made.cells if cell.cell_type == "code"):
            outputs.clear()
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                try:
                    exec(cell.source, names)  # noqa: S102 (our own notebook)
                except Exception as fault:  # noqa: BLE001 (as a kernel does)
                    error = f"{type(fault).__name__}: {fault}"
                    outputs.append(new_output("error", ename="Fault", evalue=error, traceback=[error]))
            if printed.getvalue():
                outputs.append(new_output("stream", name="stdout", text=printed.getvalue()))
            cell.outputs = list(outputs)
            if error is not None:
                break
    nbformat.write(made, into)
    return _run.Executed(made, "0" * _run.RUN_ID_DIGITS, error)


#: Briefs that show words of others, and where these come from; those that take longer use the same functions.
BRIEFS = {
    "your_own_data": {"folder": "{folder}"},
    "switch_traffic": {"counters": "{folder}"},
    "reconcile": {"runs": "{folder}", "counters": "{folder}"},
    "road_to_400g": {"roadmap": f"none{NAME}.yaml"},
}


@pytest.fixture(scope="module")
def made(folder, models, tmp_path_factory):
    """Briefs by name, all in one folder with their index."""
    into = tmp_path_factory.mktemp("briefs")
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_run, "execute", execute)
        for name, given in BRIEFS.items():
            parameters = {key: value.format(folder=folder, models=models) for key, value in given.items()}
            (found[name],) = briefs.make_briefs([name], into, parameters, pdf=False, progress=False)
    return found


@pytest.fixture(scope="module")
def outputs(made, models, tmp_path_factory):
    """All that notebooks show as HTML, on one page without a policy, as in Jupyter; and the page of a command."""
    into = tmp_path_factory.mktemp("outputs")
    prediction = hecn.predict(models / "scenario.yaml")
    shown = [prediction._repr_html_()]
    for one in made.values():
        cells = nbformat.read(one.notebook, as_version=4).cells
        shown += [output.get("data", {}).get("text/html", "") for cell in cells for output in cell.get("outputs", [])]
    for number, plot in enumerate((plot_ladder, plot_resource_map, plot_utilisation)):
        shown.append(plot(prediction).to_html(include_plotlyjs=number == 0, full_html=False))
    (into / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{''.join(shown)}")
    command = [
        "whatif",
        models / "scenario.yaml",
        "--vary",
        "path.rtt=1ms,80ms",
        f"tool={models}/tool.yaml,nuttcp",
        "--figure",
        into / "whatif.html",
    ]
    assert main([*map(str, command), "-o", str(into / "whatif.txt")]) == 0
    return into


OWN = re.compile(r"file:///.*\.html$|data:|blob:")


@pytest.fixture
def visit(browser):
    """Open pages one after another; gives each, and what it asked for or complained of."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(120_000)
    page = context.new_page()
    trouble = []
    page.on("console", lambda message: trouble.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (trouble.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda asked: None if OWN.match(asked.url) else trouble.append(asked.url))

    def open_page(path):
        trouble.clear()
        page.goto(path.as_uri(), wait_until="load")
        return page, trouble

    yield open_page
    context.close()


#: Elements that words of a file could have become, and that no page of ours has.
LIVE = """[onload], [onerror], [onmouseover], [onfocus], [autofocus], [src='x'], a[href*='127.0.0.1'],
    a[href^='javascript'], .main-svg a"""
LOOK = """async ([live, save]) => {
    const plots = [...document.querySelectorAll('.js-plotly-plot')];
    const words = part => [...part.querySelectorAll('.main-svg')].map(svg => svg.textContent).join(' ');
    let saved = '';
    for (const plot of plots) {
        for (let curveNumber = 0; curveNumber < plot.data.length; curveNumber++) {
            try { Plotly.Fx.hover(plot, [{curveNumber, pointNumber: 0}]); } catch { /* it has no points */ }
        }
        if (save) saved += decodeURIComponent((await Plotly.toImage(plot, {format: 'svg'})).replace(/^[^,]*,/, ''));
    }
    const picture = new DOMParser().parseFromString(saved, 'text/html');
    await new Promise(done => setTimeout(done, 50));
    return {
        ran: window.hacked ?? null,
        live: [...document.querySelectorAll(live)].map(one => one.outerHTML),
        saved: [...picture.querySelectorAll(live + ', script, img')].map(one => one.outerHTML),
        figures: plots.map(words).join(' '),
        text: document.body.innerText,
    };
}"""


def look(page, *, save=False):
    """What there is on a page, once each figure has shown what it says of its points, or was saved as SVG, too."""
    seen = page.evaluate(LOOK, [LIVE, save])
    assert (seen["ran"], seen["live"], seen["saved"]) == (None, [], [])
    return seen


#: What must be there to read: the beginning, and what Markdown, LaTeX, Plotly and templates would have taken away.
BEGINNING, REST = EVIL[:20], "}{k}$ %{x} {{7*7}} =1+1 \\u202egnp.exe"


def test_briefs_and_their_index_show_it_as_text(made, visit):
    """Words of files where a brief has any, names of files everywhere; in figures, too."""
    in_figures = ""
    for name, brief in made.items():
        page, trouble = visit(brief.html)
        seen = look(page)
        assert trouble == [], name
        assert NAME in seen["text"], name
        if brief.error is None:
            assert BEGINNING in seen["text"], name
            assert REST in seen["text"], name
        in_figures += seen["figures"]
    assert [name for name, brief in made.items() if brief.error] == ["road_to_400g"]  # of which this was asked for
    assert BEGINNING in in_figures
    assert NAME in in_figures
    page, trouble = visit(brief.html.parent / "index.html")
    text = look(page)["text"]
    assert (BEGINNING in text, REST in text, NAME in text, trouble) == (True, True, True, [])


def test_no_file_of_a_brief_has_a_secret_of_its_logs(made, outputs):
    files = [path for folder in (made["your_own_data"].json.parent, outputs) for path in folder.iterdir()]
    assert {path.suffix for path in files} == {".html", ".ipynb", ".json", ".txt"}
    assert [path.name for path in files if SECRET.encode() in path.read_bytes()] == []


def test_notebooks_and_figures_of_commands_show_it_as_text(outputs, visit):
    """Without the policy of a brief, which would stop what was let through."""
    for path in sorted(outputs.glob("*.html")):
        page, trouble = visit(path)
        seen = look(page, save=True)
        assert trouble == [], path.name
        assert NAME in seen["text"] + seen["figures"], path.name


def test_paper_has_it_as_text_without_links(made, visit, pdftotext, tmp_path):
    page, _ = visit(made["switch_traffic"].html)
    page.pdf(path=tmp_path / "paper.pdf")
    assert not re.search(rb"/(?:JavaScript|JS|Launch|URI)\b", (tmp_path / "paper.pdf").read_bytes())
    command = [pdftotext, "-raw", tmp_path / "paper.pdf", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert BEGINNING in " ".join(text.split())
