"""Make briefs: run the notebooks that changed, then write HTML, PDF, pictures, JSON, and the index of the folder.

A brief's JSON keeps what the brief was made from (`hecn_analysis.briefs.origin`), with hashes of the written files. A
notebook is run again when one of its inputs has changed; its pages are written again when it was run, when the layout
has changed, or when one of them is missing or was modified.
"""

from __future__ import annotations

import base64
import glob
import json
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from hecn_analysis.base.children import Stop
from hecn_analysis.base.errors import HecnError, InputError, MissingProgramError
from hecn_analysis.base.progress import track
from hecn_analysis.briefs import origin
from hecn_analysis.briefs.catalogue import briefs, choose
from hecn_analysis.briefs.index import FORM, INDEX, KIND, read_result, write_index
from hecn_analysis.briefs.jobs import Job, jobs_of
from hecn_analysis.briefs.parameters import Value, shown
from hecn_analysis.briefs.pdf import PdfError, can_draw, find_chromium, write_pdf
from hecn_analysis.briefs.pictures import NO_PICTURE, PictureError, Pictures
from hecn_analysis.files import whole

if TYPE_CHECKING:
    from pathlib import Path

    from hecn_analysis.briefs._run import Executed


@dataclass(frozen=True)
class BriefResult:
    """A brief that was made.

    ``finding`` is None if the notebook stopped before it, ``error`` says why. ``html`` and ``notebook`` are None if no
    document could be written, e.g. on a full disk; ``pdf`` is None if none was requested or made. ``run_id`` identifies
    the run in all of its files. ``is_new`` is False if the brief was up to date. ``lacking`` are requested but missing
    parts (``pdf``, ``figures``), for which the ``remarks`` give the reason.
    """

    name: str
    title: str
    finding: str | None
    html: Path | None
    notebook: Path | None
    json: Path
    pdf: Path | None
    figures: tuple[Path, ...]
    run_id: str | None
    error: str | None
    remarks: tuple[str, ...] = ()
    is_new: bool = True
    lacking: tuple[str, ...] = ()


def make_briefs(
    names: Iterable[str],
    out_dir: Path,
    parameters: Mapping[str, Value] | None = None,
    *,
    each: Sequence[str] = (),
    archive: Path | None = None,
    pdf: bool = True,
    figures: str | None = None,
    force: bool = False,
    progress: bool = True,
    time_limit_s: float | None = None,
    folder: Path | None = None,
) -> list[BriefResult]:
    """Make briefs and the index page of their folder; up-to-date briefs are reused."""
    jobs = jobs_of(choose(names, briefs(folder)), parameters or {}, each, archive)
    whole.make_folder(out_dir)
    whole.check(out_dir / INDEX)
    with Pictures() as pictures, ExitStack() as at_end:
        pool = ThreadPoolExecutor(max_workers=max(1, min(len(jobs), _cores())))
        at_end.callback(pool.shutdown, cancel_futures=True)  # an interrupt does not wait for queued briefs
        stop = Stop()
        stop.call(pictures.abandon)
        at_end.callback(stop.set)  # before the pool waits for its threads
        make = partial(
            _make,
            out_dir=out_dir,
            pictures=pictures,
            pdf=pdf,
            figures=figures,
            force=force,
            time_limit_s=time_limit_s,
            stop=stop,
        )
        # The last notebooks take longest, since they predict every measured row: start them first.
        name_of = {pool.submit(make, job): job.name for job in reversed(jobs)}
        done = as_completed(name_of)
        finished = track(done, "briefs", total=len(name_of)) if progress else done
        results = {name_of[future]: future.result() for future in finished}
    write_index(out_dir)
    return [results[job.name] for job in jobs]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _Files:
    """The files of a brief in one folder, and which of them were written."""

    folder: Path
    name: str
    stop: Stop
    written: dict[str, str] = field(default_factory=dict)

    def at(self, ending: str) -> Path:
        return self.folder / f"{self.name}{ending}"

    def has(self, kind: str, path: Path) -> None:
        self.written[kind] = path.name

    def write(self, path: Path, content: str | bytes) -> None:
        self.stop.check()
        whole.write(path, content)


def _make(
    job: Job,
    *,
    out_dir: Path,
    pictures: Pictures,
    pdf: bool,
    figures: str | None,
    force: bool,
    time_limit_s: float | None,
    stop: Stop,
) -> BriefResult:
    """Make the missing parts of one brief; any error becomes the brief's error and does not stop the others."""
    before = None if force else read_result(out_dir / f"{job.name}.json")
    try:
        files = _Files(out_dir, job.name, stop)
        return _made(job, before, files, pictures, pdf=pdf, figures=figures, time_limit_s=time_limit_s)
    except Exception as error:  # noqa: BLE001 (a full disk, or a defect of ours)
        return _failed(job, _Files(out_dir, job.name, stop), _cause(error))


def _made(
    job: Job,
    before: Mapping[str, Any] | None,
    files: _Files,
    pictures: Pictures,
    *,
    pdf: bool,
    figures: str | None,
    time_limit_s: float | None,
) -> BriefResult:
    if before is not None and not _is_as_run(before, job, files.folder):
        before = None
    same_layout = before is not None and before["layout"] == origin.layout()
    if before is not None and same_layout and _is_complete(before, files.folder, pdf, figures):
        lacking = _lacking(before, pdf=pdf, figures=figures)
        return _result(before, files.folder, remarks=_missing_because(lacking), is_new=False, lacking=lacking)
    # Import the heavy modules on a worker thread, so that naming and checking briefs stays fast.
    from hecn_analysis.briefs._run import TIME_LIMIT_S, Executed, execute, read_notebook  # noqa: PLC0415

    if before is not None:
        executed = Executed(read_notebook(files.at(".ipynb")), before["run_id"], None)
        return _lay_out(job, executed, before["origin"], files, pictures, pdf=pdf, figures=figures)
    for ending in (".ipynb", ".html"):
        whole.check(files.at(ending))
    started_ns = time.time_ns()
    executed = execute(
        job.brief.notebook,
        job.parameters,
        files.at(".ipynb"),
        time_limit_s=time_limit_s or TIME_LIMIT_S,
        stop=files.stop,
    )
    sources = origin.origin(job.brief, job.parameters, executed.read, since_ns=started_ns)
    return _lay_out(job, executed, sources, files, pictures, pdf=pdf, figures=figures)


def _is_as_run(before: Mapping[str, Any], job: Job, folder: Path) -> bool:
    """Whether running the notebook now would give the same result."""
    return (
        before["error"] is None
        and before["parameters"] == dict(job.parameters)
        and before["each"] == dict(job.each)
        and _is_intact(before, folder, "notebook")
        and origin.is_unchanged(before["origin"], job.brief, job.parameters)
    )


def _is_intact(before: Mapping[str, Any], folder: Path, kind: str) -> bool:
    """Whether a file is present and unmodified."""
    return bool(before["hashes"][kind] == origin.fingerprint(folder / before["files"][kind]))


def _is_complete(before: Mapping[str, Any], folder: Path, pdf: bool, figures: str | None) -> bool:
    """Whether all requested parts are present, as far as this machine can make them."""
    lacks = before["files"]["pdf"] is None or (before["numbers"]["figures"] and before["thumbnail"] is None)
    has_all = _has_figures(before, figures) and not (pdf and lacks)
    return (has_all or not can_draw()) and all(_is_intact(before, folder, kind) for kind in before["hashes"])


def _has_figures(before: Mapping[str, Any], form: str | None) -> bool:
    numbers = range(1, len(before["numbers"]["figures"]) + 1)
    return form is None or all(_figure_name(number, form) in before["files"] for number in numbers)


def _lacking(result: Mapping[str, Any], *, pdf: bool, figures: str | None) -> tuple[str, ...]:
    """Names of the requested parts that are missing."""
    lacks_pdf = pdf and result["files"]["pdf"] is None
    return ("pdf",) * lacks_pdf + ("figures",) * (not _has_figures(result, figures))


def _missing_because(lacking: Iterable[str]) -> tuple[str, ...]:
    """Reasons for missing parts that this machine cannot make."""
    remarks = []
    for kind in lacking:
        try:
            _ = find_chromium() if kind == "pdf" else find_chromium(NO_PICTURE)
        except MissingProgramError as error:
            remarks.append(str(error))
    return tuple(remarks)


def _lay_out(
    job: Job,
    executed: Executed,
    sources: Mapping[str, Any],
    files: _Files,
    pictures: Pictures,
    *,
    pdf: bool,
    figures: str | None,
) -> BriefResult:
    """Write pages, pictures and, last, the JSON of an executed notebook."""
    from hecn_analysis.briefs.content import content_of  # noqa: PLC0415 (as above)
    from hecn_analysis.briefs.html import brief_html  # noqa: PLC0415 (as above)

    files.stop.check()
    for stale in (files.at(".json"), files.at(".pdf"), *files.folder.glob(f"{glob.escape(files.name)}.figure-*")):
        stale.unlink(missing_ok=True)  # from an earlier run with other numbers
    content = content_of(executed.notebook)
    header = _header(job)
    page = brief_html(
        content,
        title=header["title"],
        question=header["question"],
        run_id=executed.run_id,
        parameters=shown(job.brief.declaration, job.parameters),
        error=executed.error,
    )
    files.write(files.at(".html"), page)
    files.has("notebook", files.at(".ipynb"))
    files.has("html", files.at(".html"))
    specs = [item.data["spec"] for item in content.items("figure")]
    remarks: list[str] = []
    thumbnail = None
    try:
        if pdf:
            write_pdf(files.at(".html"), files.at(".pdf"), stop=files.stop)
            files.has("pdf", files.at(".pdf"))
            thumbnail = base64.b64encode(pictures.thumbnail(specs[0])).decode() if specs else None
    except (MissingProgramError, PdfError, PictureError) as error:
        remarks.append(str(error))
    try:
        for number, spec in enumerate(specs if figures else [], start=1):
            path = files.at(f".{_figure_name(number, str(figures))}")
            files.write(path, pictures.figure(spec, str(figures)))
            files.has(_figure_name(number, str(figures)), path)
    except (MissingProgramError, PictureError) as error:
        remarks.append(str(error))
    result = {
        **header,
        "finding": None if content.finding is None else str(content.finding["sentence"]),
        "error": executed.error,
        "run_id": executed.run_id,
        "versions": content.versions,
        "numbers": content.numbers(),
        "files": {"pdf": None, **files.written, "json": files.at(".json").name},
        "hashes": {kind: origin.fingerprint(files.folder / name) for kind, name in files.written.items()},
        "layout": origin.layout(),
        "origin": sources,
        "thumbnail": thumbnail,
    }
    lacking = _lacking(result, pdf=pdf, figures=figures)
    return _result(_write(result, files), files.folder, remarks=tuple(dict.fromkeys(remarks)), lacking=lacking)


def _failed(job: Job, files: _Files, cause: str) -> BriefResult:
    """Record in the brief's JSON, and so on the index, that no document exists, and why."""
    from hecn_analysis.briefs.content import Content  # noqa: PLC0415 (as above)

    no_files = dict.fromkeys(("html", "notebook", "pdf"))
    result = {
        **_header(job),
        "finding": None,
        "error": cause,
        "run_id": None,
        "versions": {},
        "numbers": Content().numbers(),
        "files": {**no_files, "json": files.at(".json").name},
        "hashes": {},
        "layout": None,
        "origin": None,
        "thumbnail": None,
    }
    with suppress(OSError, InputError):  # writing may be what failed
        _write(result, files)
    return _result(result, files.folder)


def _header(job: Job) -> dict[str, Any]:
    """First entries of a brief's JSON."""
    declaration = job.brief.declaration
    each = ", ".join(f"{name} {value}" for name, value in job.each.items())
    return {
        "kind": KIND,
        "form": FORM,
        "name": job.name,
        "source": job.brief.notebook.stem,
        "title": f"{declaration.title}: {each}" if each else declaration.title,
        "question": declaration.question,
        "each": dict(job.each),
        "parameters": dict(job.parameters),
    }


def _write(result: dict[str, Any], files: _Files) -> dict[str, Any]:
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    files.write(files.at(".json"), text)
    return result


def _result(
    result: Mapping[str, Any],
    folder: Path,
    *,
    remarks: tuple[str, ...] = (),
    is_new: bool = True,
    lacking: tuple[str, ...] = (),
) -> BriefResult:
    files = {kind: folder / name if name else None for kind, name in result["files"].items()}
    return BriefResult(
        name=result["name"],
        title=result["title"],
        finding=result["finding"],
        html=files["html"],
        notebook=files["notebook"],
        json=folder / result["files"]["json"],
        pdf=files["pdf"],
        figures=tuple(path for kind, path in files.items() if path is not None and kind.startswith("figure")),
        run_id=result["run_id"],
        error=result["error"],
        remarks=remarks,
        is_new=is_new,
        lacking=lacking,
    )


def _cause(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words if isinstance(error, (HecnError, OSError)) else f"{type(error).__name__}: {words}"


def _figure_name(number: int, form: str) -> str:
    """Ending of the name of a figure's file."""
    return f"figure-{number}.{form}"
