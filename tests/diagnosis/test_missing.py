"""What to look at next: value of information on a small table of likelihoods."""

import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from hecn_analysis.base import places
from hecn_analysis.base.errors import InputError
from hecn_analysis.diagnosis import questions
from hecn_analysis.diagnosis.known import Known
from hecn_analysis.diagnosis.likelihood import evidence, weights
from hecn_analysis.diagnosis.missing import LEAST_BITS, MOST, missing

FILE = places.models_dir() / "questions.yaml"
TABLE = {
    "rwnd_limited": {"window-host": [0.1, 0.9], "loss": [0.95, 0.05], "shaper": [0.95, 0.05]},
    "queue": {"window-host": [0.9, 0.1], "loss": [0.9, 0.1], "shaper": [0.2, 0.8]},
    "line_share": {"window-host": [0.5, 0.5], "loss": [0.5, 0.5], "shaper": [0.5, 0.5]},
    "idle_loss": {"window-host": [0.98, 0.02], "loss": [0.4, 0.6], "shaper": [0.98, 0.02]},
}
EVEN = {"window-host": 1 / 3, "loss": 1 / 3, "shaper": 1 / 3}


def entropy(*probabilities):
    return -sum(p * math.log2(p) for p in probabilities if p > 0)


def test_information_is_what_the_entropy_loses():
    (question,) = missing({"window-host": 0.7, "loss": 0.3}, (), {"rwnd_limited": TABLE["rwnd_limited"]})
    high, low = 0.7 * 0.9 + 0.3 * 0.05, 0.7 * 0.1 + 0.3 * 0.95
    after = high * entropy(0.7 * 0.9 / high, 0.3 * 0.05 / high) + low * entropy(0.7 * 0.1 / low, 0.3 * 0.95 / low)
    assert question.bits == pytest.approx(entropy(0.7, 0.3) - after)


def test_the_most_telling_comes_first_and_separates_what_it_tells_apart():
    found = missing(EVEN, (), TABLE)
    assert [question.separates[0] for question in found] == ["window-host", "shaper", "loss"]
    assert [question.bits for question in found] == sorted((question.bits for question in found), reverse=True)
    assert all(2 <= len(question.separates) <= 3 for question in found)
    assert all(LEAST_BITS <= question.bits <= math.log2(3) for question in found)


def test_signs_that_were_seen_tell_nothing_new():
    assert not any("ss -tin" in question.command for question in missing(EVEN, {"rwnd_limited"}, TABLE))
    assert missing(EVEN, TABLE, TABLE) == ()


def test_a_command_that_was_run_is_not_asked_for_again_unless_a_host_is_missing():
    rows = {"window-host": [0.3, 0.7], "loss": [0.7, 0.3]}
    even = {"window-host": 0.5, "loss": 0.5}
    assert missing(even, {"unread", "sndbuf_limited"}, {"rwnd_limited": rows, "unread": rows}) == ()
    (question,) = missing(even, {"sender_busiest"}, {"receiver_busiest": rows})
    assert "mpstat" in question.command
    (question,) = missing(even, {"resent"}, {"rwnd_limited": rows})  # the tool reports retransmits, too
    assert "ss -tin" in question.command


def test_signs_of_one_command_count_together():
    rows = {"window-host": [0.3, 0.7], "loss": [0.7, 0.3]}
    (one,) = missing({"window-host": 0.5, "loss": 0.5}, (), {"rwnd_limited": rows})
    (two,) = missing({"window-host": 0.5, "loss": 0.5}, (), {"rwnd_limited": rows, "busy": rows})
    assert one.bits < two.bits < 2 * one.bits


def test_a_certain_cause_needs_no_question():
    assert missing({"loss": 0.999, "shaper": 0.001}, (), TABLE) == ()
    assert missing({"loss": 1.0}, (), TABLE) == ()
    assert missing({}, (), TABLE) == ()
    assert missing({"loss": math.nan, "shaper": 1.0}, (), TABLE) == ()


def test_a_class_without_a_row_is_taken_as_usual():
    found = missing({"window-host": 0.5, "a class of tomorrow": 0.5}, (), TABLE)
    assert found[0].bits > LEAST_BITS


def test_tempered_likelihoods_tell_less():
    plain, tempered = missing(EVEN, (), TABLE)[0], missing(EVEN, (), TABLE, temper=0.5)[0]
    assert tempered.bits < plain.bits


def test_probabilities_of_0_are_no_infinite_information():
    sure = {"rwnd_limited": {"window-host": [0.0, 1.0], "loss": [1.0, 0.0]}}
    assert missing({"window-host": 0.5, "loss": 0.5}, (), sure)[0].bits == pytest.approx(1.0)


def test_commands_name_the_hosts_and_nothing_that_is_no_name():
    known = Known(measured_bps=1e9, receiver="192.0.2.7", sender="x; rm -rf ~")
    texts = "".join(question.command for question in missing(EVEN, (), TABLE, known=known))
    assert "ss -tin dst 192.0.2.7 on the sender" in texts


def test_the_commands_show_all_signs_of_the_evidence():
    of_runs = {"ethernet_rate", "slow_ethernet_rate", "loss_fit", "fast", "is_local", "local_direction", "from_memory"}
    of_runs |= {
        "ethernet_copy",
        "slow_ethernet_copy",
        "many_files",
        "file_mean",
        "files_in_flight",
        "page_cache",
        "is_loopback",
        "stated_line",
        "usb2",
        "is_copy",
        "is_of_memory",
        "of_store",
        "odd_rate",
        "unasked",
        "told_window",
        "window_time",
        "before_silence",
    }
    assert set(evidence().signs) - set(questions.shown_by()) == of_runs
    assert set(questions.shown_by()) <= set(evidence().signs)


def test_the_shipped_table_leaves_few_questions():
    table = evidence()
    rows = {
        name: {cause: np.array(sign.rows.get(cause, sign.usual)) for cause in table.causes}
        for name, sign in table.signs.items()
    }
    found = missing(dict.fromkeys(table.causes, 1.0), (), rows, temper=weights().temper)
    assert len(found) == MOST
    assert not any(re.search(r"[{}]", question.command + question.what) for question in found)
    assert all(question.bits < math.log2(len(table.causes)) for question in found)


def test_damage_names_the_file_and_the_key(tmp_path, monkeypatch):
    copy = Path(shutil.copy(FILE, tmp_path))
    copy.write_text(copy.read_text(encoding="utf-8").replace("  signs: [udp_loss]", "  signs: []"), encoding="utf-8")
    monkeypatch.setattr(places, "models_dir", lambda: tmp_path)
    questions.entries.cache_clear()
    try:
        with pytest.raises(InputError, match=r"questions\.yaml:\d+: .*udp\.signs"):
            missing(EVEN, (), TABLE)
    finally:
        questions.entries.cache_clear()
