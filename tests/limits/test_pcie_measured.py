"""PCI Express against measurements that others published, none of which the formulas were fitted to.

`pcie_bench.csv`: the data of pcie-bench (github.com/pcie-bench/data, Apache-2.0; Neugebauer et al., SIGCOMM 2018), all
its hosts and all its sizes from 512 bytes: a programmable card in PCIe 3.0 x8 with MaxPayload 256 and MaxReadRequest
512, Gb/s each way, a column for each host, with its sockets and IOMMU where they were varied.

`pcie_measured.csv`: what users of graphics cards and FPGAs report, Gb/s each way, with its source. MaxPayload 256 and
MaxReadRequest 512, the usual settings, are assumed there.
"""

from pathlib import Path

import pandas as pd
import pytest

from hecn_analysis.limits import pcie

HERE = Path(__file__).parent
COLUMNS = ["source", "device", "gen", "lanes", "max_payload", "max_read_request", "op", "transfer", "measured_gbps"]


def _bench():
    wide = pd.read_csv(HERE / "pcie_bench.csv")
    long = wide.melt(["op", "transfer"], var_name="device", value_name="measured_gbps")
    settings = {"source": "pcie-bench/data", "gen": 3, "lanes": 8, "max_payload": 256, "max_read_request": 512}
    return long.assign(**settings)[COLUMNS]


def _estimate(row):
    return pcie(
        gen=row.gen,
        lanes=row.lanes,
        max_payload=row.max_payload,
        max_read_request=row.max_read_request,
        op=row.op,
        transfer=None if pd.isna(row.transfer) else row.transfer,
    )["throughput_bps"]


@pytest.fixture(scope="module")
def error():
    """Estimate / measured - 1, with the columns of the files."""
    rows = pd.concat([_bench(), pd.read_csv(HERE / "pcie_measured.csv")], ignore_index=True)
    estimates = pd.Series([_estimate(row) for row in rows.itertuples()])
    return rows.assign(error=estimates / (rows["measured_gbps"] * 1e9) - 1)


def test_one_direction_is_within_3_percent_in_the_median(error):
    one = error[error["op"] != "both"]["error"].abs()
    assert len(one) > 1000
    assert one.median() < 0.03


def test_long_transfers_both_ways_at_once_are_within_6_percent_in_the_median(error):
    long = error[(error["op"] == "both") & ~(error["transfer"] < 2000)]["error"].abs()
    assert len(long) > 40
    assert long.median() < 0.06


def test_short_transfers_both_ways_are_held_back_by_the_card_not_the_link(error):
    """It starts 10.4 million pairs of 512 bytes a second in any server: the estimate of the link is an upper bound."""
    short = error[(error["op"] == "both") & (error["transfer"] == 512)]
    servers = short[~short["device"].str.contains("E3")]["measured_gbps"]
    assert servers.max() - servers.min() < 0.05
    assert (short["error"] > 0.15).all()
