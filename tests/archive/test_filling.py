"""What is kept of a file that is added to an archive, beside its runs and counters."""

from hecn_analysis.archive.store import Archive
from hecn_analysis.ingest.filling import add_files

LOG = """\
dtn1$ iperf3 -c dtn2 -t 10 --username me --password hunter2
Connecting to host dtn2, port 5201
[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  10.9 GBytes  9.40 Gbits/sec    0             sender
[  5]   0.00-10.04  sec  10.9 GBytes  9.36 Gbits/sec                  receiver
"""


def test_the_ends_of_a_transfer_are_kept(tmp_path):
    (tmp_path / "a.log").write_text(LOG)
    archive = Archive(tmp_path / "archive")
    assert add_files(archive, [tmp_path / "a.log"])[0] == 1
    stated = archive.table("statements")
    ends = stated[stated["name"].isin(["asked.local", "asked.remote"])]
    assert ends[["line", "name", "value"]].to_dict("records") == [
        {"line": 3, "name": "asked.local", "value": "192.0.2.1"},
        {"line": 3, "name": "asked.remote", "value": "192.0.2.2"},
    ]
    assert "hunter2" not in stated.to_csv()


def test_lines_about_a_transfer_alone_are_no_unit(tmp_path):
    (tmp_path / "a.txt").write_text("net.ipv4.tcp_rmem = 4096 131072 6291456\n")
    archive = Archive(tmp_path / "archive")
    assert add_files(archive, [tmp_path / "a.txt"])[0] == 0
    assert archive.table("statements").empty
