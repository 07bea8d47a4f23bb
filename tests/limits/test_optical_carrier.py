"""ATM and packet over SONET against worked values, all printed digits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hecn_analysis.base.errors import RangeError
from hecn_analysis.limits.optical_carrier import atm, atm_ip_bps, cells, line_bps, payload_bps, ppp_ip_bps, sonet


@pytest.mark.parametrize(
    ("carrier", "line", "payload"),
    [
        ("oc3c", "155.520", "149.760"),
        ("oc12c", "622.080", "599.040"),
        ("oc48c", "2488.320", "2396.160"),
        ("oc192c", "9953.280", "9584.640"),
        ("oc768c", "39813.120", "38338.560"),
        ("ds3", "44.736", "40.704"),
    ],
)
def test_lines_and_their_payloads(carrier, line, payload):
    assert f"{line_bps(carrier) / 1e6:.3f}" == line
    assert f"{payload_bps(carrier) / 1e6:.3f}" == payload


@pytest.mark.parametrize(
    ("carrier", "ip", "without", "timestamps", "short"),
    [
        ("oc3c", "135.102", "134.513", "134.337", "128.921"),
        ("oc12c", "540.408", "538.053", "537.346", "515.683"),
        ("ds3", "36.720", "36.560", "36.512", "35.040"),
    ],
)
def test_ip_over_atm_to_the_printed_digits(carrier, ip, without, timestamps, short):
    figures = atm(carrier=carrier, mtu=9180)
    assert f"{figures['ip_bps'] / 1e6:.3f}" == ip
    assert f"{figures['goodput_bps'] / 1e6:.3f}" == timestamps
    assert f"{atm(carrier=carrier, mtu=9180, timestamps=False)['goodput_bps'] / 1e6:.3f}" == without
    assert f"{atm(carrier=carrier, mtu=1500, timestamps=False)['goodput_bps'] / 1e6:.3f}" == short


def test_published_figures_of_an_oc3c():
    """A router vendor's 134.808 Mb/s above IP; Cavanaugh's 87 % of the line; 192 cells for the default MTU."""
    assert f"{atm_ip_bps('oc3c', 9180) / 1e6 * (9180 - 20) / 9180:.3f}" == "134.808"
    assert round(atm_ip_bps("oc3c", 9180) / line_bps("oc3c"), 2) == 0.87
    assert cells(9180) == 192
    assert atm(carrier="oc3c") == atm(carrier="oc3c", mtu=9180)


def test_the_trailer_may_need_a_cell_of_its_own():
    """80 bytes with LLC/SNAP and the trailer are 96: two cells, one byte more takes three; without LLC/SNAP, 88 fit."""
    assert cells(80) == 2
    assert cells(81) == 3
    assert cells(88, "vc") == 2
    assert atm_ip_bps("oc3c", 88, "vc") == pytest.approx(1.5 * atm_ip_bps("oc3c", 88, "llc"))


def test_packet_over_sonet():
    assert f"{sonet(carrier='oc48c', mtu=9000)['goodput_bps'] / 1e6:.1f}" == "2379.9"
    assert sonet(carrier="oc192c", mtu=1500, timestamps=False)["goodput_bps"] == pytest.approx(9584.64e6 * 1460 / 1509)
    assert sonet(carrier="oc48c", mtu=9000, protocol="udp", ip=6)["goodput_bps"] == pytest.approx(
        2396.16e6 * (9000 - 48) / 9009
    )


def test_stuffing_costs_one_byte_in_128():
    plain, stuffed = ppp_ip_bps("oc48c", 9000), ppp_ip_bps("oc48c", 9000, stuffing=True)
    assert plain / stuffed == pytest.approx(1 + 1 / 128, rel=1e-5)


@given(st.integers(68, 65_535))
def test_packets_beat_cells_and_nothing_beats_the_payload(mtu):
    assert atm_ip_bps("oc12c", mtu) < ppp_ip_bps("oc12c", mtu) < payload_bps("oc12c")
    assert atm_ip_bps("oc12c", mtu) <= payload_bps("oc12c") * 48 / 53


def test_arrays():
    mtus = np.array([1500.0, 9180.0])
    np.testing.assert_allclose(atm("oc3c", mtus)["goodput_bps"], [atm("oc3c", mtu)["goodput_bps"] for mtu in mtus])


@pytest.mark.parametrize(
    ("kind", "option", "message"),
    [
        (
            atm,
            {"carrier": "oc3"},
            "carrier: found 'oc3', expected one of 'ds3', 'oc3c', 'oc12c', 'oc48c', 'oc192c', 'oc768c'",
        ),
        (
            sonet,
            {"carrier": "ds3"},
            "carrier: found 'ds3', expected one of 'oc3c', 'oc12c', 'oc48c', 'oc192c', 'oc768c'",
        ),
        (atm, {"mtu": 100_000}, "mtu: found 100000, expected 68 to 65535 B for IPv4"),
        (atm, {"mtu": 1000, "ip": 6}, "mtu: found 1000, expected 1280 to 65535 B for IPv6"),
        (atm, {"encapsulation": "clip"}, "encapsulation: found 'clip', expected one of 'llc', 'vc'"),
        (sonet, {"protocol": "roce"}, "protocol: found 'roce', expected one of 'tcp', 'udp'"),
    ],
)
def test_impossible_values_say_what_is_allowed(kind, option, message):
    with pytest.raises(RangeError) as caught:
        kind(**{"carrier": "oc3c"} | option)
    assert str(caught.value) == message
