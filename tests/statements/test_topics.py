"""Words of subjects in what people write; each counts once, and only where it is stated."""

import pytest

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.files.documents import Document
from hecn_analysis.statements import topics

TOPICS = topics.topics()


def found(text, name="question.txt"):
    return {str(statement.value) for statement in topics.find(Document(name, text.encode()))}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The capture shows a TCP window scale of 0 in both directions.", {"window of a host/window scal*"}),
        ("Copying many files over Samba takes the whole night here.", {"requests/many files"}),
        ("During the copy top shows one core at its limit in softirq.", {"program/one core", "processor/softirq*"}),
        ("Since the update of the driver the card resets every hour.", {"card/driver*"}),
        ("The signal is at -75 dBm and the channel is crowded here.", {"radio/signal*", "radio/dbm", "radio/channel*"}),
        ("У нас большая задержка на этом канале связи сейчас.", {"distance/задержк*"}),
        ("路由器 在 高延迟 下 速度 很慢 请问 怎么 办", {"distance/延迟"}),
    ],
)
def test_words_of_a_subject_are_found(text, words):
    assert words <= found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Is it the MTU or the driver of the card?",
        "Somebody in a forum suggested jumbo frames and another driver.",
        "It might be the encryption or the firmware of the card.",
        "There is no packet loss and no wifi on this path.",
        "The CPU usage is very low on both ends.",
        "We use it without encryption and without compression here.",
        "I tried another driver and another firmware, no difference at all.",
        "The disks are idle during the whole transfer of the data.",
        "Jumbo frames are not used anywhere on this network path.",
        "The CPU is at 12% while the transfer runs over night.",
    ],
)
def test_words_that_nobody_states_are_not(text):
    assert {one for one in found(text) if not one.startswith(("neighbours", "port speed"))} == set()


POSTS = {
    "a heading": "# Slow MTU of the tunnel\n\nThe copy is slow on this line.\n",
    "a subject": "Subject: Slow MTU of the tunnel\nDate: Thu Dec 3\n\nThe copy is slow on this line.\n",
    "a line alone": "Slow MTU of the tunnel\n\nThe copy is slow on this line.\n",
}


@pytest.mark.parametrize("name", POSTS)
def test_the_words_of_a_title_count_twice(name):
    told = found(POSTS[name])
    assert {"packet size/mtu", "packet size/mtu in the title"} <= told


def test_a_single_line_is_no_title():
    assert "packet size/mtu in the title" not in found("The MTU of this tunnel is too large for the path.")


def test_a_list_is_read():
    assert "packet size/mtu" in found("* The MTU of this tunnel is too large for the path.")


def test_words_beside_characters_without_spaces_count():
    assert "packet size/mtu" in found("mtu设置为1420时速度在个位数mbps，1280时20mbps左右。")


def test_a_broken_line_is_read_with_the_next():
    text = "Since I moved to the new flat the file server is reached over an access\npoint, which is slow.\n"
    told = [one for one in topics.find(Document("a.txt", text.encode())) if one.value == "radio/access point*"]
    assert [(one.line, one.says) for one in told] == [(1, " ".join(text.split()))]


def test_parts_of_words_do_not_count():
    assert found("The charcoal grill on the quay was lovely yesterday evening, nicely done.") <= {"neighbours/evening*"}
    assert "disk/dd" not in found("We added the address of the middle box to the list.")


def test_outputs_of_tools_have_no_subject():
    assert (
        found("[  5]   0.00-1.00   sec   112 MBytes   941 Mbits/sec    0    300 KBytes\n\tMTU: 1500 wifi driver\n")
        == set()
    )


def test_a_word_counts_once_and_quotes_its_sentence():
    text = "The path is good. The MTU of the tunnel is 1420. The MTU of the port is 1500.\n"
    told = [one for one in topics.find(Document("a.txt", text.encode())) if one.value == "packet size/mtu"]
    assert [(one.line, one.says) for one in told] == [(1, "The MTU of the tunnel is 1420.")]


def test_a_long_file_is_no_letter():
    assert found("The MTU of the tunnel is too large for it. " * 1000) == set()


def test_a_fault_of_the_file_names_its_line(tmp_path, monkeypatch):
    (tmp_path / "topics.yaml").write_text("one:\n  odds: {mtu: 4}\n  words: [7]\n  source: x\n")
    monkeypatch.setattr(places, "models_dir", lambda: tmp_path)
    topics.topics.cache_clear()
    with pytest.raises(InputError, match=r"topics.yaml:3: found one\.words\.0: 7, expected text"):
        topics.topics()
    topics.topics.cache_clear()


@pytest.mark.parametrize(
    ("text", "is_report"),
    [
        ("Since Monday the upload to the server over our VPN is much slower than the download.\n", True),
        ("The copy over the wireless link never exceeds 40 MB/s although both disks are new.\n", True),
        ("The circuit between the two sites is an Ethernet of 300 Mbit/s with an MTU of 1500.\n", False),
        ("$ ethtool eth0\n\tTX timeouts: 3 drops to 100\n", False),
    ],
)
def test_a_report_of_a_fault_is_told_from_a_note(text, is_report):
    statements = topics.find(Document("question.txt", text.encode()))
    assert [one.line for one in statements if one.name == "report"] == [1] * is_report


@pytest.mark.parametrize(
    ("text", "is_report"),
    [
        ("Copies from farm7 to store9 are slow, 30 MB/s.", True),
        ("The coffee machine of our office is very slow today.", False),
    ],
)
def test_a_slow_transfer_is_a_report_without_words_of_a_subject(text: str, is_report: bool) -> None:
    statements = topics.find(Document("notes.txt", text.encode()))
    assert any(statement.name == "report" for statement in statements) is is_report
