"""Commands follow from the scenario, and what a tool has no argument for is refused."""

import re

import pytest

import hecn_analysis as hecn
from hecn_analysis.base.errors import InputError
from hecn_analysis.live.places import Place
from hecn_analysis.prediction import tool_commands


def plan(tool, **settings):
    keys = {"tool": tool, **{key.replace("__", "."): value for key, value in settings.items()}}
    scenario = hecn.load_scenario({"sender": "ideal", "receiver": "ideal", "path.ip": 4, **keys})
    return tool_commands.plan(scenario, tool_commands.Ends("10.0.0.2", file="a file"), keys)


@pytest.mark.parametrize(
    ("tool", "settings", "client"),
    [
        ("nuttcp", {}, "nuttcp -P 5000 -p 5001 -T10 10.0.0.2"),
        ("nuttcp", {"tool__duration": "30 s", "tool__streams": 4}, "nuttcp -P 5000 -p 5001 -T30 -N4 10.0.0.2"),
        ("nuttcp", {"tool__window": "16 MiB"}, "nuttcp -P 5000 -p 5001 -T10 -w16384 10.0.0.2"),
        ("nuttcp", {"tool__bytes": "1 GiB"}, "nuttcp -P 5000 -p 5001 -n16384 -l65536 10.0.0.2"),
        ("nuttcp", {"tool__pace": "1 Gb/s", "tool__streams": 2}, "nuttcp -P 5000 -p 5001 -T10 -N2 -R2000000 10.0.0.2"),
        ("nuttcp", {"tool__message": "8 KiB"}, "nuttcp -P 5000 -p 5001 -T10 -l8192 10.0.0.2"),
        ("iperf3", {}, "iperf3 -c 10.0.0.2 -p 5201 -J -t 10"),
        (
            "iperf3",
            {
                "tool__warm_up": "2 s",
                "tool__window": "4 MiB",
                "tool__pace": "1 Gb/s",
                "sender__congestion_control": "reno",
            },
            "iperf3 -c 10.0.0.2 -p 5201 -J -t 10 -w 4194304 -O 2 -b 1000000000 -C reno",
        ),
        ("iperf3", {"tool__bytes": "1 GB", "tool__streams": 8}, "iperf3 -c 10.0.0.2 -p 5201 -J -n 1000000000 -P 8"),
        (
            "dd-read",
            {"tool__bytes": "4 MiB", "tool__request": "1 MiB"},
            "dd 'if=a file' of=/dev/null bs=1048576 count=4 iflag=direct",
        ),
        (
            "dd-write",
            {"tool__bytes": "4 MiB", "tool__request": "64 KiB", "tool__io": "buffered"},
            "dd if=/dev/zero 'of=a file' bs=65536 count=64 conv=fdatasync",
        ),
        (
            "fio-write",
            {"tool__bytes": "4 MiB"},
            (
                "fio --name=hecn '--filename=a file' --rw=write --bs=1048576 --size=4194304 --direct=1 --iodepth=16 "
                "--ioengine=libaio --thread --output-format=json"
            ),
        ),
    ],
)
def test_command_of_a_run(tool, settings, client):
    assert tool_commands.shown(plan(tool, **settings).client) == client


def test_servers_end_after_one_test():
    assert tool_commands.shown(plan("nuttcp").server) == "nuttcp -1 --nofork -P 5000"
    assert tool_commands.shown(plan("iperf3").server) == "iperf3 -s -1 -p 5201"


def test_file_that_is_read_is_made_and_removed_unless_it_is_there():
    scenario = hecn.load_scenario({"sender": "ideal", "tool": "dd-read"})
    made = tool_commands.plan(scenario, tool_commands.Ends(file="x"), {})
    assert made.prepare[:3] == ("dd", "if=/dev/zero", "of=x")
    assert made.file == "x"
    there = tool_commands.plan(scenario, tool_commands.Ends(file="x", file_is_there=True), {})
    assert (there.prepare, there.file) == (None, None)


@pytest.mark.parametrize(
    ("tool", "settings", "message"),
    [
        (
            "nuttcp",
            {"tool__processes": 2},
            "found tool.processes with nuttcp, expected a setting that the tool has an argument for in hecn measure",
        ),
        ("nuttcp", {"tool__warm_up": "1 s"}, "found tool.warm_up with nuttcp"),
        ("nuttcp", {"sender__congestion_control": "bbr"}, "found sender.congestion_control with nuttcp"),
        ("iperf3", {"tool__duration": "0.2 s"}, "found tool.duration 0.2 s, expected at least 1 s"),
        (
            "gridftp",
            {},
            "found tool 'gridftp', expected one of dd-write, fio-write, nuttcp, iperf3, dd-read, fio-read",
        ),
    ],
)
def test_what_cannot_be_run_is_refused(tool, settings, message):
    with pytest.raises(InputError, match=re.escape(message)):
        plan(tool, **settings)


@pytest.mark.parametrize(
    "text",
    ["", "here", "netns:", "netns:-a", "netns:a b", "netns:../x", "ssh:", "ssh:-oProxyCommand=x", "ssh:a b", "ssh:a;b"],
)
def test_places_that_are_none(text):
    with pytest.raises(InputError, match="expected local, netns:NAME, ssh:HOST"):
        Place.parse(text)


def test_words_for_another_host_are_quoted_and_bounded():
    argv = Place.parse("ssh:me@dtn7").argv(["dd", "of=/data/a b; rm -rf ~"], limit_s=29.5, stays=True)
    assert argv[0] == "ssh"
    assert "-tt" in argv
    assert argv[-2:] == ["me@dtn7", "timeout 30 dd 'of=/data/a b; rm -rf ~'"]
