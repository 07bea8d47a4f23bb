"""What ss, netstat and nstat say of the connection that carries the data."""

import pytest

from hecn_analysis.files.documents import Document
from hecn_analysis.statements import read, read_courses


def said(text, name="ss.txt"):
    """Statements about sockets; words of subjects are tested in test_topics.py."""
    return {one.name: one for one in read(Document(name, text.encode())) if one.name != "topic"}


SENDER = """\
Tue Feb  3 10:00:00 UTC 2026
State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
ESTAB 0      0          192.0.2.1:40000    192.0.2.2:5201
\t cubic wscale:7,7 rto:230 rtt:30.1/9 mss:1448 cwnd:10 bytes_sent:164 bytes_received:4 app_limited busy:60ms
ESTAB 0      300000     192.0.2.1:40002    192.0.2.2:5201
\t cubic wscale:7,7 rto:230 rtt:30.4/0.1 mss:1448 cwnd:120 bytes_sent:6000000 bytes_acked:5900000 data_segs_out:4144 \
lastrcv:1000 busy:1000ms rwnd_limited:400ms(40.0%) unacked:60 notsent:210000 minrtt:30 snd_wnd:88000
Tue Feb  3 10:00:04 UTC 2026
State Recv-Q Send-Q Local Address:Port  Peer Address:Port Process
ESTAB 0      300000     192.0.2.1:40002    192.0.2.2:5201
\t cubic wscale:7,7 rto:230 rtt:30.5/0.1 mss:1448 cwnd:120 bytes_sent:20000000 bytes_acked:19900000 \
data_segs_out:13812 lastrcv:4000 pacing_rate 69Mbps/80Mbps \
busy:3600ms rwnd_limited:3240ms(90.0%) retrans:0/138 unacked:60 notsent:212000 \
minrtt:30 snd_wnd:88064
"""


def test_a_sender_says_what_held_it_back():
    found = said(SENDER)
    assert {one.end for one in found.values()} == {"sender"}
    assert found["socket.rwnd_limited"].value == 0.9  # the last sample, not the first one
    assert found["socket.rwnd_limited"].line == 10
    assert found["socket.rwnd_limited"].says == "rwnd_limited:3240ms(90.0%)"
    assert found["socket.sndbuf_limited"].value == 0  # absent where it never held
    assert found["socket.busy"].value == 0.9  # of the time since the connection was opened
    assert "socket.app_limited" not in found  # only the control connection is
    assert found["socket.cwnd_bytes"].value == 120 * 1448
    assert found["socket.unsent_bytes"].value == 210000
    assert found["socket.send_window_bytes"].value == 88000
    assert found["socket.retransmitted"].value == pytest.approx(138 / 13812)
    assert found["socket.rtt_s"].value == pytest.approx(0.0304)
    assert found["socket.pacing_bps"].value == 80e6  # not the kernel's own, which stands before the stroke
    assert found["socket.connections"].value == 1
    assert found["kernel.congestion_control"].value == "cubic"


def test_quotes_stand_in_their_lines():
    lines = SENDER.split("\n")
    for one in said(SENDER).values():
        assert one.says in lines[one.line - 1]


def test_a_receiver_says_what_its_program_has_not_read():
    text = "".join(
        f"ESTAB {waiting} 0 [2001:db8::2]:5201 [2001:db8::1]:40002\n\t cubic wscale:7,7 rto:204 rtt:0.2/0.1"
        f" mss:1448 cwnd:10 bytes_received:{received} segs_out:99 data_segs_in:5000 rcv_rtt:30 minrtt:0.2\n"
        for waiting, received in ((900000, 4000000), (950000, 8000000), (980000, 12000000))
    )
    found = said(text)
    assert found["socket.unread_bytes"].value == 950000
    assert found["socket.unread_bytes"].end == "receiver"
    assert "socket.cwnd_bytes" not in found


def test_wrapped_lines_and_several_streams():
    stream = """\
tcp   ESTAB  0  200000   192.0.2.1:{port}   192.0.2.2:5201
     bbr wscale:7,7 rto:230 rtt:80.5/0.2 mss:1448 cwnd:200 bytes_sent:90000000
     bytes_acked:89000000 data_segs_out:62154 send 28Mbps lastsnd:4
     delivery_rate 20Mbps busy:9000ms sndbuf_limited:{limited}ms({share}%) unacked:100
     retrans:0/{again} notsent:20000 minrtt:80
"""
    ports = ((1001, 900, "10.0", 0), (1002, 1800, "20.0", 10), (1003, 2700, "30.0", 20))
    found = said("".join(stream.format(port=p, limited=b, share=c, again=d) for p, b, c, d in ports))
    assert found["socket.connections"].value == 3
    assert found["socket.sndbuf_limited"].value == 0.2
    assert found["socket.rwnd_limited"].value == 0
    assert found["socket.retransmitted"].value == pytest.approx(30 / 62154 / 3)
    assert found["socket.retransmitted"].says == "retrans:0/20"


def test_a_program_that_has_nothing_to_send():
    text = SENDER.replace("lastrcv:4000 pacing", "lastrcv:4000 delivered:9 app_limited pacing").replace(
        "lastrcv:1000 busy", "lastrcv:1000 delivered:9 app_limited busy"
    )
    assert said(text)["socket.app_limited"].value == 1


def test_lines_that_somebody_picked():
    lines = [line for line in SENDER.split("\n") if "cwnd" in line]
    found = said("$ ss -ti | grep cwnd\n" + "\n".join(lines))
    assert (found["socket.rwnd_limited"].value, found["socket.rwnd_limited"].line) == (0.9, 4)
    assert found["socket.connections"].value == 1


def test_versions_that_do_not_count_bytes():
    text = """\
ESTAB      0      65160              192.0.2.1:ssh                192.0.2.9:52222
\t cubic wscale:8,7 rto:344 rtt:140.5/1.2 ato:40 cwnd:45 ssthresh:40 send 3.7Mbps rcv_space:14600
"""
    found = said(text, "ss-sender.txt")
    assert found["socket.cwnd_bytes"].value == 45 * 1448
    assert found["socket.rtt_s"].end == "sender"
    assert "socket.rwnd_limited" not in found


@pytest.mark.parametrize(
    "text",
    [
        "ESTAB 0 0 192.0.2.1:22 192.0.2.9:52222\n\t cubic rto:204 rtt:1/1 mss:1448 cwnd:10 bytes_sent:3000 busy:60ms\n",
        "ESTAB 0 0 192.0.2.1:ssh 192.0.2.9:5\n\t cubic rto:204 rtt:1/1 cwnd:10 bytes_acked:152109 bytes_received:47\n",
        "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n\t cubic rto:1000 mss:536 cwnd:10\n",
        "Proto Recv-Q Send-Q Local Address Foreign Address State\ntcp 0 0 192.0.2.1:22 192.0.2.9:5 ESTABLISHED\n",
        '{"snd_cwnd": 1, "retransmits": 4}',
        "cwnd: and Recv-Q are words\n",
    ],
)
def test_what_carries_no_data_says_nothing(text):
    assert said(text) == {}


def test_netstat_shows_data_that_nobody_reads():
    text = """\
Proto Recv-Q Send-Q Local Address           Foreign Address         State
tcp        0     64 192.0.2.1:22            192.0.2.9:50000         ESTABLISHED
tcp   524288      0 192.0.2.1:5001          192.0.2.2:40000         ESTABLISHED
"""
    assert said(text, "netstat-receiver.txt")["socket.unread_bytes"].value == 524288


MORE = "200000 segments sent out\n510 segments retransmitted\n"


@pytest.mark.parametrize(
    ("text", "share", "line"),
    [
        ("Tcp:\n    200000 segments sent out\n    500 segments retransmitted\n", 0.0025, 3),
        ("Tcp:\n    200000 segments send out\n    500 segments retransmited\n", 0.0025, 3),
        ("TcpInSegs 1 0.0\nTcpOutSegs     10000    0.0\nTcpRetransSegs    300   0.0\n", 0.03, 3),
        ("tcp:\n\t\t50000 data packets (7 bytes)\n\t\t100 data packets (9 bytes) retransmitted\n", 0.002, 3),
        ("  Segments Sent                       = 10000\n  Segments Retransmitted              = 50\n", 0.005, 2),
        ("Tcp: RtoAlgorithm InSegs OutSegs RetransSegs\nTcp: 1 5 4000 40\n", 0.01, 2),
        ("100000 segments sent out\n10 segments retransmitted\n" + MORE, 0.005, 4),
    ],
)  # fmt: skip
def test_the_share_of_segments_sent_again(text, share, line):
    (found,) = said(text).values()
    assert (found.name, found.line) == ("socket.retransmitted", line)
    assert found.value == pytest.approx(share)


def test_samples_of_a_connection_are_its_course():
    (one,) = read_courses(Document("ss.txt", SENDER.encode()))
    assert (one.line, one.ends) == (5, "192.0.2.1:40002 > 192.0.2.2:5201")
    assert (one.rwnd_limited, one.sndbuf_limited) == (0.9, 0.0)
    (row,) = one.course.to_dict("records")
    assert row == {
        "t_start_s": 1.0,
        "t_end_s": 4.0,
        "rate_bps": 14_000_000 * 8 / 3,  # acknowledged between the samples
        "retransmits": 138.0,
        "cwnd_bytes": 120 * 1448.0,
        "flight_bytes": 60 * 1448.0,
        "window_bytes": 88064.0,
        "rtt_s": 0.0305,
    }


@pytest.mark.parametrize(
    "text", [SENDER.partition("Tue Feb  3 10:00:04")[0], SENDER.replace("lastrcv", "").replace("busy", "")]
)
def test_one_sample_or_samples_without_time_are_no_course(text):
    assert read_courses(Document("ss.txt", text.encode())) == []
