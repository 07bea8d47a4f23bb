"""Packing many rows into columns does not change them."""

import pytest

from hecn_analysis.logs import contract, packing, read

LOG = """\
$ nuttcp -i1 there
  110.0000 MB /   1.00 sec =  922.7469 Mbps
 1180.0000 MB /   1.00 sec = 9898.5376 Mbps 11 %TX 49 %RX 3 retrans 0.18 msRTT
$ iperf3 -c there -P 2 -t 1
[ ID] Interval           Transfer     Bandwidth       Retr
[  4]   0.00-1.00   sec  1.00 GBytes  8.59 Gbits/sec    0             sender
[  4]   0.00-1.00   sec  1.00 GBytes  8.59 Gbits/sec                  receiver
[  6]   0.00-1.00   sec  1.00 GBytes  8.59 Gbits/sec    0             sender
[  6]   0.00-1.00   sec  1.00 GBytes  8.59 Gbits/sec                  receiver
[SUM]   0.00-1.00   sec  2.00 GBytes  17.2 Gbits/sec    0             sender
[SUM]   0.00-1.00   sec  2.00 GBytes  17.2 Gbits/sec                  receiver
$ dd if=/dev/zero of=a
1+0 records in
1+0 records out
1048576 bytes (1.0 MB) copied, 2 s, 9.5 MB/s
"""


@pytest.mark.parametrize("number", [1, 7, 8, 9, 40])
def test_packed_runs_are_unchanged(tmp_path, monkeypatch, number):
    (tmp_path / "a.log").write_text(LOG * number)
    (tmp_path / "b.log").write_text(LOG)
    as_rows = read(tmp_path)
    assert len(as_rows.runs) == 3 * (number + 1)
    assert len(as_rows.streams)
    assert len(as_rows.problems) >= number
    for module in (packing, contract):
        monkeypatch.setattr(module, "AT_ONCE", 8)
    monkeypatch.setattr(contract, "_KEPT", 2)
    as_columns = read(tmp_path)
    for table in ("runs", "streams", "intervals", "problems"):
        unpacked, packed = getattr(as_rows, table), getattr(as_columns, table)
        assert unpacked.dtypes.to_dict() == packed.dtypes.to_dict()
        assert unpacked.equals(packed), table
