"""Which briefs there are, and the making of some or all of them: run, HTML, PDF, JSON, index."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hecn_analysis import places
from hecn_analysis.briefs.index import KIND, write_index
from hecn_analysis.briefs.parameters import Brief, Value, check, read_declaration, shown
from hecn_analysis.errors import HecnError, InputError, did_you_mean
from hecn_analysis.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class BriefResult:
    """A brief that was made.

    Attributes
    ----------
    name, title, finding
        Its name, its title, and its finding in one sentence (None when the notebook stopped before that).
    html, notebook, json
        The files that were written.
    pdf
        The PDF, or None when none was asked for or could be made.
    run_id
        The same in all of its files.
    error
        Why the notebook stopped early, or None.
    remarks
        What else one should know, e.g. that no PDF was made and which package is missing.
    """

    name: str
    title: str
    finding: str | None
    html: Path
    notebook: Path
    json: Path
    pdf: Path | None
    run_id: str
    error: str | None
    remarks: tuple[str, ...]


def briefs(folder: Path | None = None) -> dict[str, Brief]:
    """Give the briefs by name, in the order of their notebooks.

    Parameters
    ----------
    folder
        Where the notebooks are; those that come with the package by default.
    """
    found: dict[str, Brief] = {}
    for path in sorted((folder or places.notebooks_dir()).glob("*.yaml")):
        declaration = read_declaration(path)
        if declaration.brief is not None:
            found[declaration.brief] = Brief(path.with_suffix(".ipynb"), declaration)
    return found


def brief_names(folder: Path | None = None) -> list[str]:
    """Give the names of the briefs, in the order of their notebooks."""
    return list(briefs(folder))


def make_briefs(
    names: Iterable[str],
    out_dir: Path,
    parameters: Mapping[str, Value] | None = None,
    *,
    pdf: bool = True,
    progress: bool = True,
    folder: Path | None = None,
) -> list[BriefResult]:
    """Make briefs and the index page of their folder.

    All names and parameters are checked before the first notebook runs. A notebook that fails still gives its brief,
    up to the failure and with the reason on top; it does not stop the others.

    Parameters
    ----------
    names
        Names of briefs; ``all`` stands for every one.
    out_dir
        Where the files go; made when it is not there.
    parameters
        Values by name. With several briefs, each takes those that it declares, and one that none declares is refused.
    pdf
        Also print each as PDF, where Chromium is installed.
    progress
        Show a bar on a terminal.
    folder
        Where the notebooks are; those that come with the package by default.

    Raises
    ------
    InputError
        An unknown brief or parameter (with the nearest known one), or a value that its parameter cannot have.
    """
    chosen = _choose(names, briefs(folder))
    values = _parameters(chosen, parameters or {})
    out_dir.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=max(1, min(len(chosen), os.cpu_count() or 1))) as pool:
        made = {
            pool.submit(partial(_make, name, brief, values[name], out_dir, pdf=pdf)): name
            for name, brief in chosen.items()
        }
        done = as_completed(made)
        results = {made[one]: one.result() for one in (track(done, "briefs", total=len(made)) if progress else done)}
    write_index(out_dir)
    return [results[name] for name in chosen]


def _choose(names: Iterable[str], known: Mapping[str, Brief]) -> dict[str, Brief]:
    chosen: dict[str, Brief] = {}
    for name in names:
        if name == "all":
            chosen.update(known)
        elif name in known:
            chosen[name] = known[name]
        else:
            advice = did_you_mean(name, known)
            raise InputError(f"brief {name!r}", f"all, or one of {', '.join(known)}", advice=advice)
    return chosen


def _parameters(chosen: Mapping[str, Brief], given: Mapping[str, Value]) -> dict[str, dict[str, Value]]:
    several = len(chosen) > 1
    declared = {name for brief in chosen.values() for name in brief.declaration.parameters}
    unknown = [name for name in given if name not in declared]
    if several and unknown:
        expected = f"one of {', '.join(sorted(declared))}"
        raise InputError(f"parameter {unknown[0]!r}", expected, advice=did_you_mean(unknown[0], declared))
    return {name: check(brief.declaration, given, ignore_unknown=several) for name, brief in chosen.items()}


def _make(name: str, brief: Brief, parameters: Mapping[str, Value], out_dir: Path, *, pdf: bool) -> BriefResult:
    # Papermill and Plotly are imported here, on a worker thread, so that naming and checking briefs stays fast.
    from hecn_analysis.briefs.content import content_of  # noqa: PLC0415
    from hecn_analysis.briefs.html import brief_html  # noqa: PLC0415
    from hecn_analysis.briefs.run import execute  # noqa: PLC0415

    at = {kind: out_dir / f"{name}.{kind}" for kind in ("html", "pdf", "ipynb", "json")}
    title, question = brief.declaration.title, brief.declaration.question
    executed = execute(brief.notebook, parameters, at["ipynb"])
    content = content_of(executed.notebook)
    page = brief_html(
        content,
        title=title,
        question=question,
        run_id=executed.run_id,
        parameters=shown(brief.declaration, parameters),
        error=executed.error,
    )
    at["html"].write_text(page, encoding="utf-8")
    at["pdf"].unlink(missing_ok=True)  # one of an earlier run would belong to other numbers
    remarks = _print(at["html"], at["pdf"]) if pdf else ()
    finding = None if content.finding is None else str(content.finding["sentence"])
    result: dict[str, Any] = {
        "kind": KIND,
        "name": name,
        "title": title,
        "question": question,
        "finding": finding,
        "error": executed.error,
        "run_id": executed.run_id,
        "parameters": dict(parameters),
        "versions": content.versions,
        "numbers": content.numbers(),
        "files": {
            "html": at["html"].name,
            "pdf": at["pdf"].name if at["pdf"].exists() else None,
            "notebook": at["ipynb"].name,
            "json": at["json"].name,
        },
    }
    at["json"].write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return BriefResult(
        name=name,
        title=title,
        finding=finding,
        html=at["html"],
        notebook=at["ipynb"],
        json=at["json"],
        pdf=at["pdf"] if at["pdf"].exists() else None,
        run_id=executed.run_id,
        error=executed.error,
        remarks=tuple(remarks),
    )


def _print(html: Path, pdf: Path) -> Sequence[str]:
    """Make the PDF; give what to say when that was not possible."""
    from hecn_analysis.briefs.pdf import write_pdf  # noqa: PLC0415

    try:
        write_pdf(html, pdf)
    except HecnError as why_not:
        return (str(why_not),)
    return ()
