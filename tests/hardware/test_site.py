"""Sites as files: what is read, and the exact line of each error."""

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.hardware import load_scenario, load_site
from hecn_analysis.hardware.site_file import changed, site_of

SITE = """\
hosts:
  dtn: {host: dtn-100g-2020, count: 3}
  far: {host: dtn-100g-2024, storage: lustre}
switches: {border: {rate: 400 Gb/s}}
links:
  campus: {ends: [dtn, border], rate: 100 Gb/s, rtt: 0.1 ms, mtu: 9000}
  wave: {ends: [border, far], rate: 100 Gb/s, latency: 20 ms, cost: 1000 USD}
storage:
  lustre: {servers: 8, server_rate: 3 GB/s, disks: 80, disk_rate: 200 MB/s, write_rate: 10 GB/s}
tool: gridftp
tool.streams: 4
transfers:
  - {sender: dtn, receiver: far, bytes: 1 TB, tool.window: 64 MB}
  - {sender: dtn2, receiver: far, start: 1 min, duration: 60 s, tool: iperf3}
"""


@pytest.fixture
def written(tmp_path):
    """Write the site with some text replaced, and return its path."""

    def write(old="", new=""):
        assert old in SITE
        path = tmp_path / "site.yaml"
        path.write_text(SITE.replace(old, new, 1), encoding="utf-8")
        return path

    return write


def test_a_group_is_its_hosts_each_with_a_link(written):
    site = load_site(written())
    assert site.groups["dtn"] == ("dtn1", "dtn2", "dtn3")
    assert list(site.links) == ["campus1", "campus2", "campus3", "wave"]
    assert site.links["campus2"].ends == ["dtn2", "border"]
    assert site.links["wave"].round_trip.value == pytest.approx(0.04)
    assert [site.expanded(transfer) for transfer in site.transfers] == [3, 1]


def test_keys_of_the_site_and_of_a_transfer(written):
    site = load_site(written(), {"tool.streams": "8"})
    assert site.settings == {"tool": "gridftp", "tool.streams": "8"}
    assert site.transfers[0].set == {"tool.window": "64 MB"}
    assert site.transfers[1].start.value == 60
    assert changed(site, {"tool.bytes": "1 GB"}).transfers[0].bytes is None


def test_storage_is_as_fast_as_the_least_of_its_parts(written):
    storage = load_site(written()).storage["lustre"]
    assert storage.ceiling("read").value == 80 * 200e6 * 8
    assert storage.ceiling("write").value == 10e9 * 8


def test_one_name_at_both_ends_is_two_machines():
    site = load_site({"path": "lan-10ge", "tool": "nuttcp", "transfers": [{"sender": "b", "receiver": "b"}]})
    assert list(site.hosts) == ["b", "b (2)"]
    assert {host.host for host in site.hosts.values()} == {"b"}


def test_transfers_of_one_description_share_its_path():
    near, far = {"rate": "10 Gb/s", "rtt": "1 ms"}, {"rate": "10 Gb/s", "rtt": "9 ms"}
    ends = {"sender": "a", "receiver": "b"}
    site = load_site(
        {"tool": "nuttcp", "transfers": [{**ends, "path": near}, {**ends, "path": far}, {**ends, "path": near}]}
    )
    assert [transfer.path for transfer in site.transfers] == ["path", "path 2", "path"]
    assert [link.rtt.value for link in site.links.values()] == [0.001, 0.009]
    changed_name = {**ends, "path": "lan-10ge", "path.rtt": "5 ms"}
    (link,) = load_site({"tool": "nuttcp", "transfers": [changed_name]}).links.values()
    assert (link.path, link.rtt.value, link.rate.value) == ("lan-10ge", 0.005, 10e9)


def test_what_is_a_site(written):
    assert site_of(written()) is not None
    assert site_of("sc13-two-waves").title == "SC13 to Goddard over the northern and the southern wave"
    assert site_of("b-disk-to-disk-wan") is None
    assert site_of({"sender": "a", "receiver": "b", "tool": "nuttcp"}) is None


KEYS = (
    "name, sender, receiver, path, tool, start, by, every, times, bytes, duration, streams, pace, at_least, weight, "
    "priority, count, mesh, set"
)
OWN = "keys of its sender, receiver or tool, such as tool.window"
LINKS = "a link of the site (one of wave, campus) or a path of models/paths"
FAULTS = {
    "end": (
        "[border, far]",
        "[bordr, far]",
        "7: found end 'bordr', expected one of border, dtn, far; did you mean 'border'?",
    ),
    "storage": ("storage: lustre", "storage: gpfs", "3: found storage 'gpfs', expected one of lustre"),
    "sender": (
        "sender: dtn2",
        "sender: dtn9",
        "14: found sender 'dtn9', expected one of dtn, dtn1, dtn2, dtn3, far; did you mean 'dtn'?",
    ),
    "both": (
        "bytes: 1 TB",
        "bytes: 1 TB, duration: 5 s",
        "13: found transfers.0: bytes and duration, expected one of them",
    ),
    "key": (
        "bytes: 1 TB",
        "bites: 1 TB",
        f"13: found unknown key 'transfers.0.bites', expected one of {KEYS}; did you mean 'bytes'?",
    ),
    "weight": ("bytes: 1 TB", "weight: 0", "13: found transfers.0: a weight of 0, expected more than 0"),
    "every": ("bytes: 1 TB", "every: 1 h", "13: found transfers.0: one of every and times, expected both"),
    "start": ("start: 1 min", "start: inf", "14: found transfers.1: a start at inf s, expected at most 1e+09 s"),
    "processes": ("tool.window: 64 MB", "tool.processes: 2", "13: found tool.processes in a site, expected count"),
    "path": (
        "tool.window: 64 MB",
        "path: wave, path.loss: 1e-6",
        f"13: found key 'path.loss' of a transfer, expected {OWN}; those of a path are in links",
    ),
    "time": (
        "latency: 20 ms",
        "latency: 20 ms, rtt: 40 ms",
        "7: found links.wave: latency and rtt, expected one of them",
    ),
    "count": ("count: 3}", "count: 0}", "2: found hosts.dtn.count: 0, expected at least 1"),
    "servers": ("servers: 8, ", "", "9: found storage.lustre: one of servers and server_rate, expected both"),
    "name": (
        "border: {rate",
        "far: {rate",
        "4: found a switch 'far' and a host of that name, expected a name for each",
    ),
    "link": (
        "tool: iperf3",
        "tool: iperf3, path: wav",
        f"14: found path 'wav', expected {LINKS}; did you mean 'wave'?",
    ),
}


@pytest.mark.parametrize(("old", "new", "message"), FAULTS.values(), ids=FAULTS)
def test_an_error_names_its_line(written, old, new, message):
    path = written(old, new)
    with pytest.raises(InputError) as raised:
        load_site(path)
    assert str(raised.value) == f"{path}:{message}"


def test_a_host_that_is_unknown(written):
    path = written("dtn-100g-2020", "dtn-100g-2021")
    with pytest.raises(InputError, match=r"site\.yaml:2: found host 'dtn-100g-2021', expected one of .*; did you mean"):
        load_site(path)


def test_a_scenario_of_one_transfer_refuses_a_site(written):
    path = written()
    with pytest.raises(InputError) as raised:
        load_scenario(path)
    expected = "the keys of one transfer: hecn predict and hecn.predict take a site"
    assert str(raised.value) == f"{path}:1: found 'hosts', a key of a site, expected {expected}"
