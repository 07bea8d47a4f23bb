"""Parts of sentences with the speed that they state: rates, times, words, and the conditions named for them."""

import pytest

from hecn_analysis.statements.speeds import speeds


def told(*lines):
    return [(one.text, one.bps or one.seconds or one.is_fast) for one in speeds(lines)]


@pytest.mark.parametrize(
    ("sentence", "bits"),
    [
        ("Copies to the server run at 12.5 MB/s now.", 100e6),
        ("The test shows about 940 Mbit/s here.", 940e6),
        ("We only get 600 kB/s from the share.", 4.8e6),
        ("The same hosts do 9+ Gbit/s on the bond.", 9e9),
        ("Wireless gives 30-40 Mbps in that room.", 40e6),
        ("In German it reads 11,5 MB/s at most.", 92e6),
        ("The line is a 2.5Gb line at home.", 2.5e9),
    ],
)
def test_a_rate_is_in_bits(sentence, bits):
    ((_, value),) = told(sentence)
    assert value == pytest.approx(bits)


@pytest.mark.parametrize(
    ("sentence", "is_fast"),
    [
        ("The copy through the tunnel is slow.", False),
        ("The copy beside the tunnel is fine.", True),
        ("The copy beside the tunnel is not slow.", True),
        ("The copy through the tunnel is not fast.", False),
        ("The copy through the tunnel is too slow.", False),
    ],
)
def test_a_word_says_whether_it_is_fast(sentence, is_fast):
    ((_, value),) = told(sentence)
    assert value is is_fast


def test_each_part_has_its_condition():
    first, second = told("Without encryption we get 325 MB/s, with encryption 112 MB/s.")
    assert "Without encryption" in first[0]
    assert first[1] == pytest.approx(2.6e9)
    assert "with encryption" in second[0]
    assert second[1] == pytest.approx(896e6)


def test_a_clause_without_speed_leads_to_the_next_one_or_follows():
    ((text, _),) = told("When I remove this shaper, the grade is F, and the download is 50 Mb/s.")
    assert text.startswith("When I remove this shaper")
    ((text, _),) = told("It crawls at 2 MB/s, as soon as the VPN is on.")
    assert "VPN is on" in text


def test_a_rate_without_unit_has_the_one_before():
    assert told("The tests show 40 or 50 Mbps here.", "With it they are reduced to 8 or 9 there.")[1][
        1
    ] == pytest.approx(9e6)


def test_slower_than_another_says_that_the_other_is_fast():
    slow, fast = told("The library is about 20 times slower for large files than the putty client.")
    assert (slow[1], fast[1]) == (False, True)
    assert "putty" in fast[0]


def test_times_are_compared_with_times():
    (_, first), (_, second) = told("The client took 40 min for them, scp was done in 9 min at night.")
    assert (first, second) == (2400.0, 540.0)
    one, other = speeds(["The client took 40 min for them, scp was done in 9 min at night."])
    assert one.is_below(other)
    assert not other.is_below(one)


def test_an_amount_is_no_rate():
    assert told("I copied a file of 300 MB and a directory of 2 GB to the share.") == []


def test_lines_of_tools_say_nothing():
    assert told("[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0    300 KBytes", "\tSpeed: 100Mb/s") == []


def test_a_guess_beside_leaves_the_rest():
    sentences = "Copies crawl at 4 MB/s, in the LAN we have 110 MB/s. Could it be the old firewall? The RTT is 18 ms."
    assert [value for _, value in told(sentences)] == [pytest.approx(32e6), pytest.approx(880e6)]
    assert told("Somebody in a forum suggested that tunnels are slow.") == []


def test_a_rate_that_restates_a_time_is_of_the_same_transfer() -> None:
    (one,) = speeds(["Each 2 MB upload to Australia takes 2 seconds, which is 8 Mbit/s."])
    assert (one.bps, one.seconds, one.text) == (
        8e6,
        0.0,
        "Each 2 MB upload to Australia takes 2 seconds, which is 8 Mbit/s.",
    )


def test_a_list_gives_a_rate_for_each_label() -> None:
    wireless, wired, tunnel = speeds(["- Wi-Fi: 30 Mbit/s", "- wired: 940 Mbit/s", "- with the VPN -> ~22 Mbps."])
    assert [one.bps for one in (wireless, wired, tunnel)] == [30e6, 940e6, 22e6]
    assert "Wi-Fi" in wireless.text
    assert wireless.is_beside(wired)
    assert wireless.is_beside(tunnel)


def test_broken_lines_of_a_list_are_not_joined() -> None:
    lines = ["From the office through the tunnel of that server: 1 MB/s", "From the office without any tunnel: 28 MB/s"]
    assert [(one.line, one.bps) for one in speeds(lines)] == [(0, 8e6), (1, 224e6)]


@pytest.mark.parametrize(
    "line",
    [
        "Speed: 1000Mb/s",
        "tx_rate: 300 Mbit/s",
        "Which is normal: 30 or 300 Mbit/s?",
        "The path is fine (iperf: 940 Mbit/s)",
        "Monday: 30 Mbit/s, Tuesday: 940 Mbit/s",
    ],
)
def test_a_setting_or_a_list_within_a_line_is_no_label(line: str) -> None:
    assert all(one.text != line for one in speeds([line]))


def test_the_line_after_a_command_states_its_result() -> None:
    web, copy = speeds(
        ["wget http://files.example/big.iso", "gives 104 MB/s", "", "$ scp big.iso nas:/tmp", "gets only 14 MB/s"]
    )
    assert web.text.startswith("wget")
    assert copy.text.startswith("scp big.iso nas:/tmp")
    assert copy.is_below(web)


def test_a_command_does_not_lead_to_a_sentence_of_its_own() -> None:
    (one,) = speeds(["scp big.iso nas:/tmp", "The disks of our server write 200 MB/s."])
    assert "scp" not in one.text
