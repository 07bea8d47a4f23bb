"""The recorded session: the agent's own counters, MRTG's log and RRDtool's database of the same ports agree."""

import shutil

import pandas as pd
import pytest

from hecn_analysis.base.places import data_dir
from hecn_analysis.counters import read_counters

PORTS = ("port1", "port2")


@pytest.fixture(scope="module")
def session():
    folder = data_dir() / "counters" / "session"
    if not folder.is_dir():
        pytest.skip("data/counters is in a checkout only")
    return folder


@pytest.fixture(scope="module")
def walked(session):
    return read_counters(session / "walks.txt.gz").rates


def moved(rates, since, until):
    """Octets of both directions between two times."""
    own = rates[(rates.time > since) & (rates.time <= until)]
    return [float((own[f"{way}_bps"] * own.interval_s).sum() / 8) for way in ("in", "out")]


@pytest.mark.parametrize("port", PORTS)
def test_mrtg_counted_what_the_agent_did(port, session, walked):
    """Equal within the bins, up to the reset of port2: MRTG goes on with the rate before it, which was none."""
    counters = read_counters([session / f"{port}.log", session / "mrtg.cfg"])
    rates = counters.rates
    agent = walked[walked.interface == port]
    reset = agent.time[agent.flag == "reset"].min()
    since, until = rates.time.min(), rates.time[~(rates.time > reset - pd.Timedelta(minutes=5))].max()
    found, expected = moved(rates, since, until), moved(agent, since, until)
    assert found == pytest.approx(expected, rel=0.01)
    assert counters.interfaces.speed_bps.dropna().unique().tolist() == [400e6]


@pytest.mark.skipif(shutil.which("rrdtool") is None, reason="rrdtool is not installed (apt install rrdtool)")
@pytest.mark.parametrize("port", PORTS)
def test_rrdtool_kept_what_the_agent_counted(port, session, walked):
    rates = read_counters(session / f"{port}.rrd").rates
    agent = walked[walked.interface == port]
    since, until = rates.time.min(), rates.time.max()
    assert moved(rates, since, until) == pytest.approx(moved(agent, since, until), rel=0.005)


def test_the_last_counters_of_mrtg_are_the_agent_s(session):
    last = read_counters(session / "walks.txt.gz").interfaces.set_index("interface").in_octets
    found = read_counters(session / "port1.log").sources[0]["last_in_counter"]
    assert found == last["port1"]
