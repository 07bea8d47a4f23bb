"""Posts of people who describe slow transfers in free words: the likeliest cause, and what must not be accused."""

import pytest

from hecn_analysis.diagnosis.verdict import diagnose
from tests.diagnosis import everyday as e

ACCUSES = 0.45  # a cause that is likelier is accused

POSTS = {
    "a window of the program": (
        "Our proxy does 45 MB/s on the LAN and 4 MB/s to the other site. The capture shows a small receive window.",
        {"window-tool", "window-host"},
    ),
    "slower the farther away": (
        "The greater the latency, the slower the upload: 20 MB/s in town, 2 MB/s overseas.",
        {"window-tool", "window-host"},
    ),
    "one thread": (
        "Two hosts at 40GbE. The mover only uses one core and stays at 11 Gbit/s, whatever I ask for.",
        {"tool"},
    ),
    "a processor at its limit": (
        "The sync through the tunnel gives 6 MB/s. It seems to be CPU bound: dmcrypt and the tunnel eat it all.",
        {"cpu-sender", "cpu-receiver"},
    ),
    "requests pile up before the disk": (
        "It downloads well for ten seconds, then iowait is 85 % and the rate is 3 MB/s until it fills the cache again.",
        {"disk-write", "disk-read"},
    ),
    "USB 2 in the list of a NAS": (
        "  |__3-1    0b95:1790:0200 00  2.10  480MBit/s 250mA 1IF  (ASIX USB 10/100/1000 LAN 0000AF12)\n",
        {"slot"},
    ),
    "USB 2 in words": ("My 2.5G dongle is slow, it comes up with 480 Mbit/s whatever port I take.", {"slot"}),
    "a card that fails": ("Under load the network adapter disconnects for two seconds, then all is well.", {"nic"}),
    "a shaper compared": ("Downloads reach 60 Mb/s. With QoS disabled on the gateway it is 240 Mb/s.", {"shaper"}),
    "a paravirtual card behind a router": (
        "A routed copy through the guest: with virtio the rate drops to 300 kb/s, with an emulated card it is 30 Mb/s.",
        {"offload"},
    ),
    "small packets pass": (
        "Pings through the tunnel work fine, but scp hangs as soon as the file begins.",
        {"mtu"},
    ),
    "two sizes of packets": ("With MTU 1500 I get 2 Mb/s, with 1360 it is 70 Mb/s.", {"mtu"}),
    "with and without a shaper": (
        "When I take the QoS out, downloads are 70 or 80 mbps. With the QoS they are reduced to 12.",
        {"shaper"},
    ),
    "a disk that writes badly": (
        "The SSD of the array writes at 28 MB/s with the disk 100% busy. Reads are very good, 470 MB/s.",
        {"disk-write"},
    ),
    "a hub": ("All PCs are on an 8 port hub, a copy of 300 MB takes half an hour.", {"duplex"}),
    "the window of a library": (
        "The upload library is slower than the shell client. It waits for a window update, its window size is 65536.",
        {"window-tool", "window-host", "latency-protocol"},
    ),
    "a distance and a rate": (
        "Copies to the other site crawl at 4 MB/s, in the LAN we have 110 MB/s. The RTT is 18 ms, no loss.",
        {"window-tool", "window-host", "latency-protocol"},
    ),
    "a weak signal": ("The box is behind two walls, the router shows -84 dBm for it, films stutter.", {"wifi"}),
    "a disk without DMA": ("[    7.156361] ata1.00: configured for PIO\n", {"disk-read", "disk-write"}),
    "several streams help": (
        "A single connection to the other coast does 90 Mb/s, with four connections it is 350 Mb/s.",
        {"window-tool", "window-host"},
    ),
    "a library of requests": ("Our backup uses sftp in 32 KB chunks and is slow: 1.5 MB/s.", {"latency-protocol"}),
    "small files on a share": ("git checkout on the NFS share takes an hour for 60000 files.", {"latency-protocol"}),
    "the network is fine": (
        "iperf3 shows the full 2.35 Gbits/sec both ways. The disks cannot cope: the copy is only 90 MB/s.",
        {"disk-read", "disk-write"},
    ),
    "interrupts of a core": ("During the download ksoftirqd/3 sits at 100 % and I get 400 Mb/s.", {"cpu-receiver"}),
    "an allowance": ("The metric Bandwidth Out Allowance Exceeded of our cache rises all day.", {"shaper"}),
    "an offload": ("The forwarded rate collapses when large receive offload is on in the gateway.", {"offload"}),
    "a radio link in other words": ("Mein WLAN ist seit gestern sehr langsam, 3 Mbit.", {"wifi"}),
    "lanes of a slot": (
        "                 link x1(x4) speed 5.0(5.0) ASPM disabled(L0s/L1)",
        {"slot"},
    ),
    "UDP without limit": (
        """$ iperf3 -c 10.7.0.2 -u -b 0 -t 10
[  5]   0.00-1.00   sec   112 MBytes   940 Mbits/sec  0.012 ms  150211/231711 (65%)""",
        {"udp"},
    ),
    "rates at several distances": (
        "* with 2 ms delay I get 90 MB/s\n* with 20 ms delay 9.5 MB/s\n* with 100 ms delay 1.9 MB/s\n",
        {"window-tool", "window-host", "latency-protocol"},
    ),
    "two versions of HTTP": (
        "A download of 300 MB takes 95 seconds with HTTP/2, and 8 seconds with HTTP/1.1.",
        {"window-tool"},
    ),
    "64 KiB in each round trip": (
        "One copy from the plant in Brazil never does more than 2.5 Mbit/s, the RTT is 205 ms.",
        {"window-tool", "window-host"},
    ),
    "hours of the day": ("At 9 pm the line crawls at 4 Mb/s, in the morning it is 95 Mb/s.", {"shared"}),
    "another card": (
        "The onboard Realtek NIC gives 30 Mb/s. With another NIC in the same PC it is 930 Mb/s.",
        {"nic"},
    ),
    "words of a subject": (
        "Login through the tunnel works, then the session freezes. The overlay has encapsulation and the MSS is 1460.",
        {"mtu"},
    ),
}

INNOCENT = {
    "all is denied": "The CPU is idle, no packet loss, no wifi, the disks are fast, still the copy is slow.",
    "a supposition": "If the MTU was wrong, large packets would hang, but they do not. The transfer is slow.",
    "advice that nobody took": "Support suggested to disable TSO and to update the driver. We have not done that.",
    "trials in vain": "We tried another cable, another switch port and another NIC: no change at all.",
    "what others have": "My friend has WiFi at -80 dBm and it is slow for him. I am on a cable.",
    "a rate that is expected": "The transfer runs at 940 Mbit/s, which is what I expect of gigabit ethernet.",
    "a list of parts": "We have an NFS server with ZFS, RAID 10 of SSDs, 10 GbE cards and Debian 12. It is slow.",
    "processors that have little to do": "The copy gives 8 MB/s. CPU usage stays below 10 %, it is not CPU bound.",
    "windows of a desktop": "I have a small window with the log open on a Windows server, and the copy is slow.",
    "a version without a fast line": "iperf3 3.9 between two offices gives 12 Mb/s, the tool is the same at both ends.",
    "a header of iostat": "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\nthe copy is slow",
    "pings and all else work": "Ping works, and the download works as well, only a little slow.",
    "offloads as they are set": "large-receive-offload: off [fixed]\ngeneric-receive-offload: on\n",
    "a wireless link that is fine": "The WiFi is fast. The cable to the printer is slow.",
    "a root hub": "|__usb1    1d6b:0002:0404 09  2.00  480MBit/s 0mA 1IF  (Linux 5.10 xHCI Host Controller) hub\n",
}


@pytest.mark.parametrize("name", POSTS)
def test_the_likeliest_cause_of_a_post(tmp_path, name):
    words, accept = POSTS[name]
    (tmp_path / "post.txt").write_text(words + "\n", encoding="utf-8")
    causes = diagnose(tmp_path)[0].causes
    assert causes[0].kind in accept
    assert causes[0].evidence, "the line that says so"


@pytest.mark.parametrize("name", INNOCENT)
def test_words_that_accuse_nobody(tmp_path, name):
    (tmp_path / "post.txt").write_text(INNOCENT[name] + "\n", encoding="utf-8")
    assert diagnose(tmp_path)[0].causes[0].probability < ACCUSES


def test_a_udp_test_without_a_stated_rate_says_nothing_of_pacing(tmp_path):
    command = "iperf3 -c 10.30.0.12 -t 10"
    for folder, protocol in (("tcp", ""), ("udp", " -u -b 0")):
        (tmp_path / folder).mkdir()
        text = e.iperf3([200e6] * 10, [e.MIB] * 10, command=command) if not protocol else _udp(command + protocol)
        (tmp_path / folder / "a.txt").write_text(text, encoding="utf-8")
    names = {folder: {sign.name for sign in diagnose(tmp_path / folder)[0].signs} for folder in ("tcp", "udp")}
    assert "is_paced" in names["tcp"]
    assert "is_udp" in names["udp"]
    assert "is_paced" not in names["udp"]


def _udp(command):
    """A UDP test that loses half of its datagrams."""
    second = "[  5]  {0:2d}.00-{1}.00  sec  23.8 MBytes   200 Mbits/sec  0.020 ms  17000/34266 (50%)"
    return "\n".join(
        [
            f"$ {command}",
            "Connecting to host 10.30.0.12, port 5201",
            "[  5] local 10.20.0.11 port 43210 connected to 10.30.0.12 port 5201",
            "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
            *(second.format(at, at + 1) for at in range(10)),
            "- - - - - - - - - - - - - - - - - - - - - - - - -",
            "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams",
            "[  5]   0.00-10.00  sec   238 MBytes   200 Mbits/sec  0.020 ms  170000/342660 (50%)  receiver",
            "",
        ]
    )


DD = (
    "$ dd if=/dev/zero of=test bs=512k count=2048 oflag=direct\n2048+0 records in\n2048+0 records out\n"
    "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 306.617 s, 3.5 MB/s\n"
)


@pytest.mark.parametrize(("words", "is_alone"), [("The NFS export of the server is slow here.", False), ("", True)])
def test_a_test_of_a_disk_beside_a_file_service_may_be_one_of_the_service(tmp_path, words, is_alone):
    (tmp_path / "dd.txt").write_text(DD, encoding="utf-8")
    (tmp_path / "question.txt").write_text(f"{words}\n", encoding="utf-8")
    verdict = diagnose(tmp_path)[0]
    assert ("is_local" in {sign.name for sign in verdict.signs}) is is_alone


TOP = "On the sender:\n  PID USER PR NI  VIRT  RES  SHR S %CPU %MEM   TIME+ COMMAND\n{0}\n"
SAR = "08:10:01 AM       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n{0}\n"
OUTPUTS = {
    "ssh fills a core of the sender": (
        TOP.format(" 8123 ann  20  0  9120 3300 2100 R 99.8  0.3  2:12.44 ssh"),
        "rsync over ssh runs at 21 MB/s on a gigabit network.",
        "cpu-sender",
    ),
    "a busy member of an array, which reads": (
        SAR.format("08:15:01 AM   dev8-32   8.10   9720.40     27.00   1203.00   31.20   3912.00   122.40   99.70"),
        "Our RAID became very slow.",
        "disk-read",
    ),
    "a busy member of an array, which writes": (
        SAR.format("08:15:01 AM   dev8-32   8.10     27.00   9720.40   1203.00   31.20   3912.00   122.40   99.70"),
        "Our RAID became very slow.",
        "disk-write",
    ),
    "a disk of USB 3 at USB 2": (
        "usb 1-2: new high-speed USB device number 9 using xhci_hcd\nusb 1-2: Product: USB 3.0 External\n",
        "The external SSD writes at 38 MB/s only.",
        "slot",
    ),
    "encryption in a profile": (
        "Overhead  Shared Object        Symbol\n  58.31%  [kernel]             [k] poly1305_blocks_neon\n",
        "Through the tunnel 210 Mb/s come through, without it 930 Mb/s.",
        "cpu-receiver",
    ),
    "RDMA in software": (
        " Dual-port       : OFF          Device         : rxe0\n",
        "RDMA over a 25 Gb/s card is slower than TCP.",
        "cpu-sender",
    ),
    "a checksum offload of an overlay": (
        "tx-checksum-ip-generic: on\n",
        "Pods get 120 Mb/s over flannel.1 (VXLAN), hosts 9.4 Gb/s. tx-checksum-ip-generic of flannel.1 is on.",
        "offload",
    ),
    "others upload": ("", "Our line gets slow when somebody uploads photos.", "shared"),
    "a file in pieces": ("$ filefrag a.img\na.img: 48211 extents found\n", "Reading a.img is slow.", "disk-read"),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_likeliest_cause_of_an_output_beside_words(tmp_path, name):
    output, words, cause = OUTPUTS[name]
    (tmp_path / "output.txt").write_text(output, encoding="utf-8")
    (tmp_path / "question.txt").write_text(f"{words}\n", encoding="utf-8")
    causes = diagnose(tmp_path)[0].causes
    assert causes[0].kind == cause, [(one.kind, round(one.probability, 2)) for one in causes[:3]]


@pytest.mark.parametrize(("rate", "is_bus"), [(280e6, True), (30e6, False)])
def test_a_bus_holds_back_only_what_comes_near_its_rate(tmp_path, rate, is_bus):
    text = e.iperf3([rate] * 10, command="iperf3 -c 10.30.0.12 -t 10", local="10.20.0.11", remote="10.30.0.12")
    (tmp_path / "iperf3.txt").write_text(text, encoding="utf-8")
    (tmp_path / "question.txt").write_text("The adapter is a slow one on USB 2 of my laptop.\n", encoding="utf-8")
    assert (diagnose(tmp_path)[0].causes[0].kind == "slot") is is_bus
