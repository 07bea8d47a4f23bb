"""``hecn plot``."""

import pytest

from hecn_analysis.cli import main


def test_page_is_named_after_folder_and_view(tmp_path, monkeypatch, root, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["plot", str(root / "data" / "transfers" / "over_time"), "--view", "cdf"]) == 0
    assert capsys.readouterr().out == "plot-over_time-cdf.html\n"
    page = (tmp_path / "plot-over_time-cdf.html").read_text(encoding="utf-8")
    assert "Throughput of intervals" in page
    assert "<script src" not in page  # it needs no network
    assert '<html lang="en">' in page
    assert f"<title>{root / 'data' / 'transfers' / 'over_time'}: distribution of interval rates</title>" in page


@pytest.mark.usefixtures("chromium")
@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg"), ("a.png", b"\x89PNG")])
def test_picture_has_the_form_of_its_name(name, start, tmp_path, root, capsys):
    target = tmp_path / name
    assert main(["plot", str(root / "data" / "transfers" / "over_time"), "-o", str(target)]) == 0
    assert capsys.readouterr().out == f"{target}\n"
    assert target.read_bytes().startswith(start)


def test_folder_without_runs_makes_no_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    main(["plot", "logs"])
    out, err = capsys.readouterr()
    assert out == ""
    assert "0 runs read" in err
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]


def test_link_in_the_place_of_the_page_is_refused(tmp_path, monkeypatch, root):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plot-over_time-time.html").symlink_to(tmp_path / "other")
    assert main(["plot", str(root / "data" / "transfers" / "over_time")]) == 1
    assert not (tmp_path / "other").exists()
