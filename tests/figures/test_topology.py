"""The tree of a host's slots: what hangs on what, and how busy each link is."""

from pathlib import Path

import pytest

import hecn_analysis as hecn
from hecn_analysis import figures
from hecn_analysis.hardware import Host

SERVER = Path(__file__).parents[1] / "inventory" / "samples" / "server"


@pytest.fixture(scope="module")
def server():
    [found] = hecn.read_inventory(SERVER).hosts
    return found


@pytest.fixture(scope="module")
def loaded(server):
    keys = {"sender": server.description, "receiver": "ideal", "tool": "nuttcp", "tool.source_end": "disk"}
    return hecn.predict({**keys, "path.rate": "100Gb/s", "path.rtt": "1ms", "path.mtu": 9000})


def test_rows_stand_below_what_they_hang_on(server):
    rows = figures.topology_rows(server.host)
    parents = dict(zip(rows["node"], rows["parent"], strict=True))
    assert parents["slot 3b:00"] == "node 0"
    assert parents["bridge af:00"] == "node 1"
    assert parents["slot b2:00"] == "bridge af:00"
    assert parents["array md0"] == "slot b1:00"
    assert rows["percent"].isna().all()
    seen = set()
    for row in rows.itertuples():
        assert row.depth == 0 or row.parent in seen
        seen.add(row.node)


def test_rows_say_what_a_link_does_and_could(server, loaded):
    rows = figures.topology_rows(server.host, prediction=loaded).set_index("node")
    card = rows.loc["slot 3b:00"]
    assert (card["link"], card["could"]) == ("Gen3 x8", "Gen3 x16")
    assert card["capacity_bps"] == pytest.approx(52.9e9, rel=0.01)
    assert card["load_bps"] == pytest.approx(card["capacity_bps"] * card["percent"] / 100)
    # two drives share what the switch carries
    assert rows.loc["bridge af:00", "load_bps"] == pytest.approx(2 * rows.loc["slot b1:00", "load_bps"], rel=0.02)


def test_the_drawing_has_a_mark_for_each_row_and_two_lines_for_each_link(server, loaded):
    rows = figures.topology_rows(server.host, prediction=loaded)
    fig = figures.plot_topology(server.host, prediction=loaded).to_dict()
    assert sum(len(trace["x"]) for trace in fig["data"]) == len(rows)
    assert len(fig["layout"]["shapes"]) == 2 * (rows["depth"] > 0).sum()


def test_names_of_devices_are_no_markup():
    host = Host(
        name="x", slots={"a": {"gen": 3, "lanes": 8, "nic": {"title": "<b>x</b>", "ports": 1, "port_rate": 1e9}}}
    )
    rows = figures.topology_rows(host)
    assert "&lt;b&gt;x&lt;/b&gt;" in rows["hover"][1]


def test_a_host_of_which_nothing_is_known():
    fig = figures.plot_topology(Host(name="x")).to_dict()
    assert fig["layout"]["annotations"][0]["text"] == "This host's slots are unknown."


def test_hosts_of_the_catalogue_can_be_drawn():
    host = hecn.load_scenario({"sender": "c", "receiver": "ideal", "tool": "nuttcp", "path": "lan-10ge"}).sender
    rows = figures.topology_rows(host)
    assert {"nic", "controller"} <= set(rows["kind"])
