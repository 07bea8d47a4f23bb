"""/proc/mdstat: levels, members, chunks, and what is being rebuilt."""


def test_an_array_that_recovers_with_a_failed_member_and_a_spare(facts):
    found = facts("mdstat/recovering.txt")
    assert found["n_arrays"] == 5
    assert found["unused"] == []
    md3 = found["arrays"][0]
    assert {name: md3[name] for name in ("name", "state", "level", "n_configured", "n_working", "read_only")} == {
        "name": "md3",
        "state": "active",
        "level": "raid6",
        "n_configured": 7,
        "n_working": 6,
        "read_only": False,
    }
    assert md3["members"] == ["sdb1", "sdc1", "sdd1", "sde1", "sdf1", "sdg1", "sdh1", "sdi1"]
    assert (md3["failed"], md3["spares"]) == (["sde1"], ["sdi1"])
    assert (md3["size_bytes"], md3["chunk_bytes"], md3["algorithm"]) == (19534422016 * 1024, 512 * 1024, 2)
    assert md3["sync"] == {
        "action": "recovery",
        "fraction": 0.125,
        "finish_s": 21684,
        "speed_bytes_per_s": 157644 * 1024,
    }


def test_what_waits_is_pending_and_a_rounding_is_no_chunk(facts):
    _, md2, md1, md0, md5 = facts("mdstat/recovering.txt")["arrays"]
    assert (md2["read_only"], md2["sync"]) == (True, {"action": "resync", "pending": "PENDING"})
    assert (md1["level"], md1["chunk_bytes"], md1["n_configured"]) == ("raid0", 524288, None)
    assert (md0["level"], md0["chunk_bytes"], md0["rounding_bytes"]) == ("linear", None, 65536)
    assert (md5["state"], md5["level"], md5["members"]) == ("inactive", None, ["sdz"])


def test_a_host_without_arrays(facts):
    found = facts("mdstat/none.txt")
    assert (found["n_arrays"], found["arrays"], found["unused"]) == (0, [], ["sdq", "sdr"])


def test_a_broken_line_of_an_array_is_told(facts):
    broken = "Personalities : [raid1]\nmd0 : !!\nmd1 : active raid1 sda[0]\n      10 blocks [1/1] [U]\n"
    said = ["2: malformed: found 'md0 : !!', expected the state of an array; left out"]
    assert [array["name"] for array in facts(broken, text=True, problems=said)["arrays"]] == ["md1"]
