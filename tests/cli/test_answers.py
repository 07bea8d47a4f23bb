"""What short commands answer: a rate below TCP's limit, and a purchase without a path."""

import pytest

from hecn_analysis.cli import main


def test_a_rate_below_the_limit_is_explained_by_a_window_or_a_loss(capsys):
    assert main(["limits", "tcp", "--rtt=80ms", "--rate=10Gb/s", "--mtu=9000", "--measured=3.2Gb/s"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("3.20 Gb/s over 80.0 ms is 32.0 MB in flight. A window of that size would explain it, or, ")
    lost = float(last.partition("one packet in ")[2].partition(" ")[0].replace(",", ""))
    assert main(["limits", "tcp", "--rtt=80ms", "--mtu=9000", f"--loss={1 / lost}", "--format=csv"]) == 0
    names, values = (line.split(",") for line in capsys.readouterr().out.splitlines())
    assert float(dict(zip(names, values, strict=True))["loss_limit_bps"]) == pytest.approx(3.2e9, rel=0.05)


@pytest.mark.parametrize("stated", ["--window=32MiB", "--loss=1e-6"])
def test_where_window_or_loss_is_stated_none_is_guessed(stated, capsys):
    assert main(["limits", "tcp", "--rtt=80ms", "--rate=10Gb/s", stated, "--measured=0.2Gb/s"]) == 0
    assert "would explain" not in capsys.readouterr().out


def test_a_purchase_without_a_path_names_the_one_it_takes(capsys):
    assert main(["purchase", "--target=9Gb/s", "--between=memory", "--assume-prices"]) == 0
    out, err = capsys.readouterr()
    assert "over lan-10ge" in out
    assert "path not given: lan-10ge assumed" in err


def test_a_purchase_beyond_all_local_paths_asks_for_one(capsys):
    assert main(["purchase", "--target=900Gb/s", "--assume-prices"]) == 1
    assert capsys.readouterr().err == "hecn: found a target of 900Gb/s, expected at most 396 Gb/s, or --path NAME\n"
