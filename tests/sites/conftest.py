"""Sites whose rates can be computed by hand: hosts without limits, links of round payload rates, no start-up."""

import pytest

from hecn_analysis.sites import predict_site

#: Line rate for a payload of 1 Gb/s: a packet of 9000 bytes carries 8948, and takes 9038 of the line (Ethernet, TCP).
LINE = 9038 / 8948 * 1e9


@pytest.fixture
def chain():
    """Predict transfers along a chain: hosts h0, h1, … behind switches s0, s1, … with links l1, l2, … between."""

    def predict(rates_gbps, transfers, **more):
        places = range(len(rates_gbps) + 1)
        links = {
            f"l{number + 1}": {
                "ends": [f"s{number}", f"s{number + 1}"],
                "rate": gbps * LINE,
                "loss": 0,
                "mtu": 9000,
                "rtt": 0,
            }
            for number, gbps in enumerate(rates_gbps)
        }
        access = {f"a{place}": {"ends": [f"h{place}", f"s{place}"], "rtt": 0, "loss": 0} for place in places}
        site = {
            "hosts": {f"h{place}": "ideal" for place in places},
            "switches": {f"s{place}": {} for place in places},
            "links": {**access, **links},
            "tool": "ftp",
            "transfers": transfers,
            **more,
        }
        return predict_site(site)

    return predict
