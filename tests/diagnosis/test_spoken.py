"""Words of people count for the runs that they speak of, else for the slowest ones."""

import pytest

from hecn_analysis.diagnosis.kinds import kinds
from hecn_analysis.diagnosis.spoken import with_own_words
from hecn_analysis.diagnosis.verdict import diagnose
from hecn_analysis.ingest.folder import read_folder
from tests.diagnosis import everyday as e

RSYNC = """$ rsync -a --stats {name}/ 192.0.2.9:/data/
Number of regular files transferred: {files}
Total transferred file size: {size:,} bytes

sent {size:,} bytes  received 35 bytes  {rate:,.2f} bytes/sec
total size is {size:,}  speedup is 1.00
"""
SLOW = RSYNC.format(name="home", files=90_000, size=2_000_000_000, rate=3e6)
FAST = RSYNC.format(name="image", files=1, size=50_000_000_000, rate=110e6)
MEMORY = e.iperf3([900e6] * 5, [1e6] * 5, command="iperf3 -c 192.0.2.9", remote="192.0.2.9")


@pytest.mark.parametrize(
    ("words", "files", "of_slow", "of_fast"),
    [
        ("It takes forever: 90,000 small files.", {"b.txt": FAST}, True, False),
        ("It takes forever: 90,000 small files, 2 GB together.", {"b.txt": FAST}, True, False),
        ("The 50 GB of small files take forever.", {"b.txt": FAST}, False, True),
        ("The rsync of many small files takes forever.", {"b.txt": MEMORY}, True, False),
        ("It takes forever: 90,000 small files.", {"b.txt": SLOW.replace("3,000,000", "4,000,000")}, True, True),
    ],
    ids=["of no amount", "of the slow amount", "of the fast amount", "of a tool", "both slow"],
)
def test_words_count_for_what_they_speak_of(tmp_path, words, files, of_slow, of_fast):
    for name, content in {"a.txt": SLOW, "question.txt": f"{words}\n", **files}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    own = {kind.files[0][-5:]: bool(kind.say("topic")) for kind in with_own_words(kinds(read_folder(tmp_path)))}
    assert own == ({"a.txt": of_slow, "b.txt": of_fast} if len(own) > 1 else {"a.txt": of_slow})


@pytest.mark.parametrize(("rate", "is_changed"), [(110e6, False), (4e6, True)], ids=["fast", "as slow"])
def test_a_faster_copy_between_the_same_ends_clears_the_disks(tmp_path, rate, is_changed):
    other = RSYNC.format(name="image", files=1, size=50_000_000_000, rate=rate)
    for name, content in {"a.txt": SLOW, "b.txt": other}.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    slow = next(one for one in diagnose(tmp_path) if one.kind.files[0].endswith("a.txt"))
    assert slow.causes[0].kind == "latency-protocol"
    assert any("storage" in change.what for change in slow.changes) == is_changed
