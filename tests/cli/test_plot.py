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


def test_page_says_how_many_of_many_runs_it_shows(tmp_path, root):
    text = (root / "data" / "transfers" / "over_time" / "iperf3-1.json").read_text(encoding="utf-8")
    for folder, number in [("before", 9), ("before", 10), *(("after", number) for number in range(6))]:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / f"{number}.json").write_text(text, encoding="utf-8")
    page = tmp_path / "page.html"
    assert main(["plot", str(tmp_path / "before"), str(tmp_path / "after"), "-o", str(page)]) == 0
    drawn = page.read_text(encoding="utf-8").replace(r"\u002f", "/")
    assert "6 of 8 runs" in drawn
    assert "before/9.json:1" in drawn
    assert "after/0.json:1" in drawn


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


@pytest.mark.parametrize(
    "words",
    [
        ["plot", "data/transfers/over_time", "-o"],
        ["compare", "data/transfers/before", "data/transfers/after", "--figure"],
        ["whatif", "hotlava-transmit", "--set", "sender.max_payload=256", "--figure"],
    ],
)
def test_a_form_that_is_not_written_is_refused_before_the_work(words, tmp_path, capsys):
    target = tmp_path / "runs.pdf"
    assert main([*words, str(target)]) == 1
    told = "found a figure as .pdf, expected a name that ends in .html, .png or .svg"
    assert capsys.readouterr() == ("", f"hecn: {target}: {told}\n")
    assert not target.exists()
