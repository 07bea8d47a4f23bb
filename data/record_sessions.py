"""What `record_samples.py` records: the sessions, the programs and their versions, the servers they talk to."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Session:
    """Commands that make one sample.

    Parameters
    ----------
    name
        Folder, which is the tool's name in the table of runs, and end of the file's name.
    program
        A key of `VERSIONS`: the program that must be there, with its version.
    commands
        Command lines for the shell, as they are shown; "{there}" is the other end.
    terminal
        Whether the tool prints it only on a terminal.
    prepare
        A command line before each command, not shown.
    log
        A log of a server, relative to the scratch folder, that is kept instead of what the commands print.
    server
        A command line of a server that runs for this session; what it prints is kept instead.
    disk
        Whether the commands need a block device, whose name is put for "$DISK".
    """

    name: str
    program: str
    commands: tuple[str, ...]
    terminal: bool = False
    prepare: str = ""
    log: str = ""
    server: str = ""
    disk: bool = False


# program: command that prints its version, and the pattern of the version
VERSIONS = {
    "nuttcp": ("nuttcp -V", r"nuttcp-([\d.]+)"),
    "iperf": ("iperf -v", r"version ([\d.]+)"),
    "iperf3": ("iperf3 -v", r"iperf ([\d.]+)"),
    "netperf": ("netperf -V", r"version ([\d.]+)"),
    "qperf": ("qperf --version", r"qperf ([\d.]+)"),
    "sockperf": ("sockperf --version", r"version ([\d.]+)"),
    "flent": ("flent --version", r"Flent v?([\d.]+)"),
    "fio": ("fio --version", r"fio-([\d.]+)"),
    "dd": ("dd --version", r"coreutils\) ([\d.]+)"),
    "busybox": ("busybox", r"BusyBox v([\d.]+)"),
    "hdparm": ("hdparm -V", r"v([\d.]+)"),
    "iozone": ("iozone -v", r"Revision: ([\d.]+)"),
    "bonnie++": ("bonnie++ -h", r"Version: ([\w.]+)"),
    "rsync": ("rsync --version", r"version ([\d.]+)"),
    "scp": ("ssh -V", r"OpenSSH_([\w.]+)"),
    "lftp": ("lftp --version", r"Version ([\d.]+)"),
    "tnftp": ("dpkg-query --show tnftp", r"(\d{8})"),
    "inetutils-ftp": ("inetutils-ftp --version", r"inetutils\) ([\d.]+)"),
    "vsftpd": ("vsftpd -v 0>&1", r"version ([\d.]+)"),
    "curl": ("curl --version", r"curl ([\d.]+)"),
    "wget": ("wget --version", r"Wget ([\d.]+)"),
    "globus-url-copy": ("globus-url-copy -version", r"globus_gass_copy.* ([\d.]+)|globus-url-copy.*?([\d.]+)"),
    "globus-gridftp-server": ("globus-gridftp-server -version", r"server: ([\d.]+)"),
    "ping": ("ping -V", r"iputils (\d+)"),
    "fping": ("fping -v", r"Version ([\d.]+)"),
    "inetutils-ping": ("inetutils-ping --version", r"inetutils\) ([\d.]+)"),
    "traceroute": ("traceroute -V", r"version ([\d.]+)"),
    "inetutils-traceroute": ("inetutils-traceroute --version", r"inetutils\) ([\d.]+)"),
    "mtr": ("mtr --version", r"mtr ([\d.]+)"),
    "ss": ("ss -V", r"iproute2-([\d.]+)"),
    "tc": ("tc -V", r"iproute2-([\d.]+)"),
}

FIO = "fio --name=first --rw=write --bs=256k --size=32m --name=second --rw=randrw --bs=16k --size=8m"
CURL_FORMAT = r"%{http_code} %{size_download} bytes, %{speed_download} bytes/s, %{time_total} s"
FTP = r"printf 'user anonymous me\nbinary\nget run.dat\ncd incoming\nput store/small.dat small.dat\nget none\nquit\n' |"

SESSIONS = (
    Session(
        "nuttcp/summary", "nuttcp", ("nuttcp -T1 {there}", "nuttcp -r -T1 {there}", "nuttcp -b -w256k -T1 {there}")
    ),
    Session("nuttcp/intervals", "nuttcp", ("nuttcp -i0.5 -T2 {there}", "nuttcp -r -i0.5 -T2 {there}")),
    Session("nuttcp/udp", "nuttcp", ("nuttcp -u -R100m -i0.5 -T2 {there}", "nuttcp -u -R100m -T1 {there}")),
    Session("nuttcp/streams", "nuttcp", ("nuttcp -N3 -T1 {there}", "nuttcp -N3 -v -T1 {there}")),
    Session(
        "nuttcp/verbose",
        "nuttcp",
        ("nuttcp -v -T1 {there}", "nuttcp -v -r -I mine -T1 {there}", "nuttcp -v -u -R50m -T1 {there}"),
    ),
    Session(
        "nuttcp/parsable",
        "nuttcp",
        (
            "nuttcp -fparse -i0.5 -T2 {there}",
            "nuttcp -fparse -v -T1 {there}",
            "nuttcp -fparse -u -R50m -T1 {there}",
        ),
    ),
    Session(
        "nuttcp/rare-fields",
        "nuttcp",
        (
            "nuttcp -frunningtotal -i0.5 -T2 {there}",
            "nuttcp -fxmitstats -u -R50m -i0.5 -T2 {there}",
            "nuttcp -I mine -T1 {there}",
        ),
    ),
    Session(
        "iperf2/tcp",
        "iperf",
        (
            "iperf -c {there} -p 6001 -t 2 -i 0.5",
            "iperf -c {there} -p 6001 -t 1 -f m -w 256K",
            "iperf -c {there} -p 6001 -t 1 -P 3",
        ),
    ),
    Session(
        "iperf2/enhanced", "iperf", ("iperf -c {there} -p 6001 -t 2 -i 1 -e", "iperf -c {there} -p 6001 -t 1 -e -P 2")
    ),
    Session("iperf2/both-ways", "iperf", ("iperf -c {there} -p 6001 -t 1 -r", "iperf -c {there} -p 6001 -t 1 -d")),
    Session(
        "iperf2/udp",
        "iperf",
        ("iperf -c {there} -p 6002 -u -b 50m -t 2 -i 1", "iperf -c {there} -p 6002 -u -b 20m -t 1 -e"),
    ),
    Session(
        "iperf2/values", "iperf", ("iperf -c {there} -p 6001 -t 2 -i 1 -y C", "iperf -c {there} -p 6001 -t 1 -P 2 -y C")
    ),
    Session(
        "iperf2/server",
        "iperf",
        ("iperf -c {there} -p 6003 -t 2", "iperf -c {there} -p 6003 -t 2 -P 2"),
        server="stdbuf -oL iperf -s -p 6003 -i 1",
    ),
    Session("iperf2/refused", "iperf", ("iperf -c {there} -p 9 -t 1",)),
    Session(
        "iperf3/tcp",
        "iperf3",
        ("iperf3 -c {there} -t 2 -i 0.5", "iperf3 -c {there} -t 1 -R", "iperf3 -c {there} -t 2 -O 1 -V"),
    ),
    Session("iperf3/streams", "iperf3", ("iperf3 -c {there} -t 2 -P 2", "iperf3 -c {there} -t 1 -P 2 -f M")),
    Session("iperf3/udp", "iperf3", ("iperf3 -c {there} -u -b 50M -t 2", "iperf3 -c {there} -u -b 20M -t 1 -R")),
    Session("iperf3/both-ways", "iperf3", ("iperf3 -c {there} -t 2 --bidir",)),
    Session("iperf3/json", "iperf3", ("iperf3 -c {there} -t 2 -J", "iperf3 -c {there} -u -b 50M -t 1 -J")),
    Session("iperf3/json-both-ways", "iperf3", ("iperf3 -c {there} -t 1 --bidir -J",)),
    Session("iperf3/json-streams", "iperf3", ("iperf3 -c {there} -t 1 -P 2 -R -J",)),
    Session("iperf3/json-stream", "iperf3", ("iperf3 -c {there} -t 1 --json-stream",)),
    Session("iperf3/server-output", "iperf3", ("iperf3 -c {there} -t 1 --get-server-output",)),
    Session("iperf3/refused", "iperf3", ("iperf3 -c {there} -p 9 -t 1", "iperf3 -c {there} -p 9 -t 1 -J")),
    Session(
        "iperf3/server",
        "iperf3",
        ("iperf3 -c {there} -p 6004 -t 1", "iperf3 -c {there} -p 6004 -u -b 20M -t 1"),
        server="iperf3 -s -p 6004 --forceflush",
    ),
    Session(
        "netperf/streams",
        "netperf",
        ("netperf -H {there} -l 1", "netperf -H {there} -l 1 -t TCP_MAERTS -f M", "netperf -H {there} -l 1 -c -C"),
    ),
    Session(
        "netperf/datagrams-and-requests",
        "netperf",
        ("netperf -H {there} -l 1 -t UDP_STREAM -- -m 1400", "netperf -H {there} -l 1 -t TCP_RR"),
    ),
    Session(
        "netperf/omni",
        "netperf",
        (
            "netperf -H {there} -l 1 -t omni -- -d send",
            "netperf -H {there} -l 1 -t omni -- -d send -k THROUGHPUT,THROUGHPUT_UNITS,ELAPSED_TIME,PROTOCOL,DIRECTION",
            "netperf -H {there} -l 1 -t omni -- -d recv -o THROUGHPUT,THROUGHPUT_UNITS,ELAPSED_TIME,PROTOCOL,DIRECTION",
        ),
    ),
    Session("qperf/tests", "qperf", ("qperf -t 1 {there} tcp_bw tcp_lat udp_bw", "qperf -t 1 -vv {there} tcp_bw")),
    Session(
        "sockperf/udp",
        "sockperf",
        ("sockperf ping-pong -i {address} -t 1", "sockperf throughput -i {address} -t 1 -m 1400"),
    ),
    Session("sockperf/tcp", "sockperf", ("sockperf throughput --tcp -i {address} -p 11112 -t 1 -m 1400",)),
    Session(
        "flent/download",
        "flent",
        ("flent tcp_download -H {there} -l 2 -s 0.5 -D flent > /dev/null 2>&1; gunzip -c flent/*.flent.gz",),
        prepare="rm -rf flent; mkdir flent",
    ),
    Session("fio/text", "fio", (FIO,)),
    Session("fio/json", "fio", ("fio --name=first --rw=write --bs=256k --size=32m --output-format=json",)),
    Session("fio/terse", "fio", (f"{FIO} --output-format=terse", f"{FIO} --output-format=terse --terse-version=5")),
    Session(
        "dd/copies",
        "dd",
        (
            "dd if=/dev/zero of=scratch bs=1M count=64 conv=fsync",
            "dd if=scratch of=/dev/null bs=1M",
            "dd if=/dev/zero of=small bs=619 count=1",
            "dd if=none of=/dev/null",
        ),
    ),
    Session("dd/progress", "dd", ("dd if=/dev/zero of=/dev/null bs=64K count=1200000 status=progress",)),
    Session(
        "dd/busybox",
        "busybox",
        ("busybox dd if=/dev/zero of=scratch bs=1M count=64", "busybox dd if=scratch of=/dev/null bs=1M"),
    ),
    Session("hdparm/timings", "hdparm", ("hdparm -tT $DISK", "hdparm -t --direct $DISK"), disk=True),
    Session(
        "iozone/table",
        "iozone",
        ("iozone -s 8m -r 64k -r 256k -i 0 -i 1 -i 2", "iozone -s 8m -r 64k -i 0 -i 1 -R"),
    ),
    Session("iozone/throughput", "iozone", ("iozone -t 2 -s 8m -r 64k -i 0 -i 1",)),
    Session("bonnie/text-and-values", "bonnie++", ("bonnie++ -d . -s 2g -r 1g -n 0 -u 0 -m here -f",)),
    Session(
        "rsync/copies",
        "rsync",
        (
            "rsync -av --stats store/ rsync://{there}/store/copy/",
            "rsync -av rsync://{there}/store/run.dat got.dat",
            "rsync -ahP rsync://{there}/store/run.dat rsync://{there}/store/small.dat got/",
            "rsync -a --info=progress2 rsync://{there}/store/run.dat again.dat",
            "rsync -av rsync://{there}/store/none .",
        ),
        prepare="rm -rf got got.dat again.dat pub/copy",
    ),
    Session(
        "rsync/daemon",
        "rsync",
        ("rsync -a store/ rsync://{there}/store/copy/", "rsync -a rsync://{there}/store/run.dat got.dat"),
        prepare="rm -rf got.dat pub/copy",
        log="rsyncd.log",
    ),
    Session(
        "scp/copies",
        "scp",
        (
            "scp -F ssh.conf store/run.dat store/small.dat {there}:{scratch}/pub/incoming/",
            "scp -F ssh.conf {there}:{scratch}/pub/run.dat got.dat",
            "scp -F ssh.conf {there}:{scratch}/pub/none got.dat",
        ),
        terminal=True,
        prepare="rm -f got.dat",
    ),
    Session(
        "scp/sftp",
        "scp",
        ("echo 'get pub/run.dat got.dat' | sftp -F ssh.conf {there}:{scratch}",),
        terminal=True,
        prepare="rm -f got.dat",
    ),
    Session(
        "lftp/commands",
        "lftp",
        (
            "lftp -e 'get big.dat; quit' ftp://{there}",
            "lftp -e 'cd incoming; put store/small.dat; quit' ftp://{there}",
            "lftp -e 'mirror --verbose . copy; quit' ftp://{there}",
            "lftp -e 'get none; quit' ftp://{there}",
        ),
        terminal=True,
        prepare="rm -rf big.dat copy pub/incoming/*",
    ),
    Session(
        "lftp/transfer-log",
        "lftp",
        ("lftp -c 'set xfer:log yes; set xfer:log-file {scratch}/xfer.log; get ftp://{there}/run.dat'",),
        prepare="rm -f run.dat",
        log="xfer.log",
    ),
    Session("ftp/tnftp", "tnftp", (f"{FTP} tnftp -n -v {{there}}",), prepare="rm -f run.dat pub/incoming/*"),
    Session(
        "ftp/inetutils",
        "inetutils-ftp",
        (f"{FTP} inetutils-ftp -n -v {{there}}",),
        prepare="rm -f run.dat pub/incoming/*",
    ),
    Session(
        "ftp/xferlog",
        "vsftpd",
        ("curl -sS -o got.dat ftp://{there}/run.dat", "curl -sS -T store/small.dat ftp://{there}/incoming/"),
        prepare="rm -f pub/incoming/*",
        log="xferlog",
    ),
    Session(
        "ftp/vsftpd-log",
        "vsftpd",
        ("curl -sS -o got.dat ftp://{there}/run.dat", "curl -sS -T store/small.dat ftp://{there}/incoming/"),
        prepare="rm -f pub/incoming/*",
        log="vsftpd.log",
    ),
    Session(
        "curl/meter",
        "curl",
        (
            "curl -o got.dat http://{there}:8000/run.dat",
            "curl -o a http://{there}:8000/run.dat -o b http://{there}:8000/small.dat",
            "curl -T store/run.dat ftp://{there}/incoming/",
            "curl -o got.dat http://{there}:9/",
        ),
        prepare="rm -f pub/incoming/*",
    ),
    Session(
        "curl/variables",
        "curl",
        (
            f"curl -s -o got.dat -w '{CURL_FORMAT}\\n' http://{{there}}:8000/run.dat",
            "curl -s -o got.dat -w '%{json}\\n' http://{there}:8000/run.dat",
        ),
    ),
    Session(
        "wget/copies",
        "wget",
        (
            "wget --progress=dot:giga http://{there}:8000/run.dat",
            "wget -nv http://{there}:8000/small.dat",
            "wget --progress=dot:giga --report-speed=bits ftp://{there}/run.dat -O got.dat",
            "wget http://{there}:8000/none",
        ),
        prepare="rm -f run.dat small.dat got.dat",
    ),
    Session("wget/bar", "wget", ("wget http://{there}:8000/run.dat",), terminal=True, prepare="rm -f run.dat"),
    Session(
        "globus-url-copy/verbose",
        "globus-url-copy",
        (
            "globus-url-copy -vb -p 2 ftp://{there}:2811{scratch}/pub/big.dat file://{scratch}/got.dat",
            "globus-url-copy -vb file://{scratch}/pub/big.dat ftp://{there}:2811{scratch}/pub/incoming/run.dat",
            "globus-url-copy -vb ftp://{there}:2811{scratch}/pub/none file://{scratch}/got.dat",
        ),
        prepare="rm -f got.dat pub/incoming/*",
    ),
    Session(
        "gridftp-server/transfers",
        "globus-gridftp-server",
        (
            "globus-url-copy -p 2 ftp://{there}:2811{scratch}/pub/run.dat file://{scratch}/got.dat",
            "globus-url-copy file://{scratch}/store/run.dat ftp://{there}:2811{scratch}/pub/incoming/run.dat",
        ),
        prepare="rm -f got.dat pub/incoming/*",
        log="gridftp.log",
    ),
    Session(
        "ping/iputils",
        "ping",
        (
            "ping -c 3 -i 0.2 {there}",
            "ping -c 20 -i 0.01 -q -s 1472 {there}",
            "ping -c 2 -i 0.2 -W 1 192.0.2.99",
        ),
    ),
    Session("fping/counts", "fping", ("fping -c 3 -p 200 {there}", "fping -C 3 -q -p 200 {there}", "fping -e {there}")),
    Session("ping/inetutils", "inetutils-ping", ("inetutils-ping -c 2 {there}",)),
    Session("ping/busybox", "busybox", ("busybox ping -c 2 {there}", "busybox ping -c 1 -W 1 192.0.2.99")),
    Session("traceroute/linux", "traceroute", ("traceroute -n {there}", "traceroute -n -m 2 -w 0.3 192.0.2.99")),
    Session("traceroute/inetutils", "inetutils-traceroute", ("inetutils-traceroute {there}",)),
    Session("traceroute/busybox", "busybox", ("busybox traceroute -n {there}",)),
    Session(
        "mtr/report", "mtr", ("mtr -n -c 3 -i 0.2 --report {there}", "mtr -n -c 3 -i 0.2 --report-wide -b {there}")
    ),
    Session("mtr/comma-separated", "mtr", ("mtr -n -c 3 -i 0.2 --csv {there}",)),
    Session("mtr/json", "mtr", ("mtr -n -c 3 -i 0.2 --json {there}",)),
    Session(
        "ss/sockets",
        "ss",
        ("ss -tin dst {address}",),
        prepare="(iperf3 -c {there} -t 3 -P 2 > /dev/null 2>&1 &); sleep 2",
    ),
    Session("tc/queues", "tc", ("tc -s qdisc show", "tc -s -d qdisc show")),
    Session(
        "session/session",
        "dd",
        ("uname -s", "dd if=/dev/zero of=scratch bs=1M count=64", "nuttcp -T1 {there}", "echo done"),
    ),
)

# How the servers are started in the scratch folder of the other end.
SERVERS = (
    "nuttcp -S --nofork",
    "iperf -s -p 6001",
    "iperf -s -u -p 6002",
    "iperf3 -s",
    "netserver -D",
    "qperf",
    "sockperf server -i {address}",
    "sockperf server --tcp -i {address} -p 11112",
    "rsync --daemon --no-detach --config=rsyncd.conf",
    "/usr/sbin/sshd -D -e -f sshd.conf",
    "vsftpd vsftpd.conf",
    "globus-gridftp-server -c gridftp.conf",
)
CONFIGURATIONS = {
    "rsyncd.conf": "use chroot = no\nuid = root\ngid = root\n[store]\npath = {scratch}/pub\nread only = no\n"
    "log file = {scratch}/rsyncd.log\n",
    "sshd.conf": "HostKey {scratch}/key\nAuthorizedKeysFile {scratch}/key.pub\nPermitRootLogin yes\nStrictModes no\n"
    "UseDNS no\nPort 2222\nSubsystem sftp internal-sftp\n",
    "ssh.conf": "IdentityFile {scratch}/key\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n"
    "Port 2222\n",
    "gridftp.conf": "port 2811\ndata_interface {address}\nallow_anonymous 1\nanonymous_user nobody\n"
    "anonymous_group nogroup\nanonymous_names_allowed *\nlog_level ALL\nlog_single {scratch}/server.log\n"
    "log_transfer {scratch}/gridftp.log\n",
    "vsftpd.conf": "listen=YES\nanonymous_enable=YES\nanon_root={scratch}/pub\nwrite_enable=YES\n"
    "anon_upload_enable=YES\nno_anon_password=YES\nxferlog_enable=YES\nxferlog_std_format=YES\ndual_log_enable=YES\n"
    "xferlog_file={scratch}/xferlog\nvsftpd_log_file={scratch}/vsftpd.log\nsecure_chroot_dir={scratch}/empty\n"
    "seccomp_sandbox=NO\nisolate=NO\nisolate_network=NO\nanon_umask=022\n",
}
