"""What the notebook of a report shows, of folders of every kind: it never stops, whatever is missing."""

import pytest

from hecn_analysis import briefs
from hecn_analysis.base.places import data_dir
from hecn_analysis.diagnosis.verdict import of_folder
from hecn_analysis.ingest.folder import read_folder
from hecn_analysis.report import ports, show
from hecn_analysis.report.finding import finding, key_figures


def all_of(folder):
    """Show everything, as the notebook does."""
    found = read_folder(folder)
    verdicts = of_folder(found)
    figures = key_figures(found, verdicts)
    briefs.show_finding(finding(found, verdicts), figures, verdicts=verdicts.to_list())
    show.verdicts(verdicts)
    show.causes(found, verdicts)
    show.changes(verdicts)
    show.questions(verdicts)
    show.runs(verdicts)
    show.course(found, verdicts)
    show.features(found, verdicts)
    show.probabilities(verdicts)
    show.measured(found, verdicts)
    show.facts(found, verdicts)
    show.findings(found)
    show.ports(found, ports.port_table(found))
    show.agreement(found)
    show.sources(found)
    show.refused(found)
    return figures


@pytest.mark.slow  # every kind of folder; tests/report/test_folder_report.py has one of each finding
@pytest.mark.parametrize(
    "folder",
    [
        "transfers/before",
        "transfers/after/nuttcp.txt",
        "counters/session",
        "inventory",
        "logs",
        "series",
        "samples/fio",
    ],
)
def test_every_kind_of_folder_is_shown(folder, capsys):
    assert 1 <= len(all_of(data_dir() / folder)) <= 4
    assert "nan" not in capsys.readouterr().out.lower().replace("nanosecond", "").split()


@pytest.mark.slow  # 42 files
def test_a_folder_of_many_files_is_shown_by_format(tmp_path, capsys):
    for number in range(42):
        (tmp_path / f"{number}.log").write_text(
            "   10.0000 MB /   1.00 sec =   83.8861 Mbps\n   11.0000 MB /   1.00 sec =   92.2747 Mbps\n"
            "   21.0000 MB /   2.00 sec =   88.0804 Mbps 5 %TX 9 %RX 0 retrans 20.10 msRTT\n"
        )
        (tmp_path / f"{number}.note").write_text("hello")
    all_of(tmp_path)
    out = capsys.readouterr().out
    assert "42" in out
    assert "2 further rows are omitted" in out


def test_one_row_for_what_was_captured_on_a_host(capsys):
    show.sources(read_folder(data_dir() / "transfers" / "before"))
    out = capsys.readouterr().out
    assert "here: 26 files" in out or "here: 2" in out
    assert "lscpu.json" not in out
