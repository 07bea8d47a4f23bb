"""Counters that no reader took beside those that were read."""

PORT = """Ethernet7 is up, line protocol is up (connected)
  Hardware is Ethernet, address is 0200.5e00.5301
  5 minutes input rate 4.00 kbps (0.0% with framing overhead), 4 packets/sec
  5 minutes output rate 8.00 kbps (0.0% with framing overhead), 11 packets/sec
     700 packets input, 64000 bytes
     900 packets output, 90000 bytes
"""


def messages(counters_of, text):
    return list(counters_of(text).problems.message)


def test_a_port_whose_first_line_is_missing(counters_of):
    tail = "     300 packets input, 21000 bytes\n     200 packets output, 12000 bytes\n"
    [said] = messages(counters_of, tail + PORT)
    assert said == "found '300 packets input, 21000 bytes', expected the port of a switch above; not read"


def test_rates_of_no_port_beside_a_table(counters_of):
    text = (
        "sw#sh int te1/1 | in rate\n  5 minute input rate 4000 bits/sec, 3 packets/sec\n"
        "sw#show interfaces counters errors\nPort        Align-Err     FCS-Err    Xmit-Err     Rcv-Err  UnderSize\n"
        "Te1/1               0           0           0           7          0\n\n"
    )
    [said] = messages(counters_of, text)
    assert said.startswith("found '5 minute input rate 4000 bits/sec, 3 packets/sec', expected the port of a switch")


def test_figures_of_the_same_port_once_more_are_no_leftover(counters_of):
    text = PORT + "  Traffic Statistics:\n     10 packets input, 640 bytes\n     3 packets output, 120 bytes\n"
    assert messages(counters_of, text) == []


def test_tables_of_other_programs(counters_of):
    table = (
        "procs    memory\n r  b  w   avm   fre   flt  re  pi  po    fr   sr da0   in   sy   cs us sy id\n"
        " 1  0  0 12000  1500   120   0   0   0    90    0   3  100  200  150  5 10 85\n"
    )
    [said] = messages(counters_of, PORT + "\n" + table)
    assert said.startswith("found 'r  b  w   avm   fre")
    assert "expected counters of vmstat around it" in said
