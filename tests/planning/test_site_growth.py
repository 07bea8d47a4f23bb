"""Purchases for a site against numbers computed by hand: hosts of 10 Gb/s, links of 25 Gb/s."""

import json

import pytest

from hecn_analysis.base.errors import InputError
from hecn_analysis.cli import main
from hecn_analysis.hardware import load_scenario
from hecn_analysis.planning.site.growth import purchase_for_site
from hecn_analysis.sites import predict_site

#: Line rate for a payload of 1 Gb/s: a packet of 9000 bytes carries 8948, and takes 9038 of the line (Ethernet, TCP).
LINE = 9038 / 8948 * 1e9


def link(first, second, gbps=None, **more):
    keys = {"ends": [first, second], "rtt": 0, "loss": 0, "mtu": 9000, **more}
    return keys if gbps is None else {**keys, "rate": gbps * LINE}


def site(*, hosts=2, waves=1, host=None, wave=None, hosts_of=None, **more):
    return {
        "hosts": hosts_of or {"dtn": {"host": "ideal", "count": hosts, "cost": 900, **(host or {})}, "world": "ideal"},
        "switches": {"border": {}},
        "links": {
            "up": link("dtn", "border", 10, cost=100),
            "wave": link("border", "world", 25, links=waves, cost=5000, **(wave or {})),
        },
        "tool": "ftp",
        "tool.streams": 64,
        "transfers": [{"sender": "dtn", "receiver": "world", "duration": 10}],
        **more,
    }


def bought(found):
    return [(each.year, each.number, each.build, round(each.usd)) for each in found.bought]


def test_growth_with_a_spare():
    """40, 60 and 90 Gb/s: 5, 7 and 10 hosts with one spare, and 3, 4 and 5 links; a host costs 1000 with its link."""
    found = purchase_for_site(site(), "40 Gb/s", growth="50 %", years=2)
    assert bought(found) == [
        (0, 3, "ideal", 3000),
        (0, 2, "25.3 Gb/s", 10_000),
        (1, 2, "ideal", 2000),
        (1, 1, "25.3 Gb/s", 5000),
        (2, 3, "ideal", 3000),
        (2, 1, "25.3 Gb/s", 5000),
    ]
    assert found.usd == pytest.approx(28_000)
    assert found.demands_bps == pytest.approx((40e9, 60e9, 90e9))
    last = {load.pool: load for load in found.loads if load.year == 2}
    assert (last["dtn"].members, last["wave"].members) == (10, 5)
    assert last["dtn"].without_one_bps == pytest.approx(90e9)
    assert last["wave"].carries_bps == pytest.approx(125e9)
    assert str(found) == "a site: $28,000 for 40.0 Gb/s now and 90.0 Gb/s in 2 years, even if one of each fails."


def test_without_a_spare():
    found = purchase_for_site(site(), "40 Gb/s", spare=False)
    assert bought(found) == [(0, 2, "ideal", 2000), (0, 1, "25.3 Gb/s", 5000)]


def test_what_is_there_is_enough():
    found = purchase_for_site(site(hosts=5, waves=3), "40 Gb/s")
    assert (found.bought, found.usd) == ((), 0.0)


def test_the_largest_may_fail():
    """Four more links of 25 cost 20,000; two of 100 cost 18,000, and one of them may fail; one alone would not do."""
    offers = {f"{100 * LINE:.0f} bit/s": 9000}
    found = purchase_for_site(site(hosts=20, wave={"offers": offers}), "90 Gb/s")
    assert bought(found) == [(0, 2, "101 Gb/s", 18_000)]
    alone = purchase_for_site(site(hosts=20, wave={"offers": offers}), "90 Gb/s", spare=False)
    assert bought(alone) == [(0, 1, "101 Gb/s", 9000)]


def test_falling_prices_make_late_purchases_cheap():
    """5 hosts more after a year at half of the price."""
    found = purchase_for_site(site(waves=9), "10 Gb/s", growth="500 %", years=1, price_change="-50 %")
    assert bought(found) == [(1, 5, "ideal", 2500)]


def test_the_cheapest_build():
    """A host twice as fast for less than twice the price, by the model's own rates of both."""
    host = {"host": "dtn-10g-2018", "offers": {"dtn-100g-2024": 4000}, "cost": 3000}
    base = site(host=host, waves=20)
    base["links"]["up"] = link("dtn", "border", 100)
    base |= {"tool": "nuttcp"}
    found = purchase_for_site(base, "60 Gb/s")
    assert {each.build for each in found.bought} == {"dtn-100g-2024"}
    dearer = {**base, "hosts": {**base["hosts"], "dtn": {**base["hosts"]["dtn"], "offers": {"dtn-100g-2024": 90_000}}}}
    assert {each.build for each in purchase_for_site(dearer, "60 Gb/s").bought} == {"dtn-10g-2018"}


def test_the_simulation_carries_what_was_bought():
    """The site with the purchases, followed: the demand passes, and with one host or link less in each as well."""
    found = purchase_for_site(site(), "90 Gb/s")
    members = {load.pool: load.members for load in found.loads}
    assert predict_site(site(hosts=members["dtn"] - 1, waves=members["wave"] - 1)).throughput_bps >= 90e9 * 0.999
    assert predict_site(site(hosts=members["dtn"] - 2, waves=members["wave"])).throughput_bps < 90e9 * 0.95


def test_a_price_from_the_bill_of_materials():
    base = site(host={"host": "x100ssd", "cost": None, "offers": {"x100ssd": None}}, waves=40)
    base["links"]["up"] = link("dtn", "border", 40, links=4)
    found = purchase_for_site({**base, "tool": "nuttcp"}, "600 Gb/s")
    (each,) = found.bought
    assert each.build == "x100ssd"
    bill = load_scenario({"sender": "x100ssd", "receiver": "ideal", "tool": "nuttcp"}).sender.bill
    assert each.usd / each.number == pytest.approx(bill.total.value)


def test_what_has_no_price_is_full():
    base = site(hosts=20, waves=9)
    base["switches"] = {"border": {"rate": 60 * LINE}}
    found = purchase_for_site(base, "40 Gb/s", growth="50 %", years=2)
    assert [(each.name, each.year) for each in found.full] == [("border.switch", 2)]
    assert found.full[0].allows_bps == pytest.approx(60e9)
    assert "But border.switch allows at most 60.0 Gb/s, which is exceeded in year 2." in str(found)


def test_a_limit_of_each_transfer_takes_more_hosts():
    """Paced to 5 Gb/s each, 40 Gb/s need eight transfers and so eight hosts, and a spare; the far end is not full."""
    paced = {"sender": "dtn", "receiver": "world", "duration": 10, "streams": 1, "pace": 5e9}
    found = purchase_for_site(site(waves=9, transfers=[paced]), "40 Gb/s")
    assert bought(found) == [(0, 7, "ideal", 7000)]
    assert found.full == ()
    hosts = {"dtn": {"host": "ideal", "count": 2}, "world": "ideal"}
    fixed = purchase_for_site(site(waves=9, transfers=[paced], hosts_of=hosts), "40 Gb/s")
    assert [(each.name, round(each.allows_bps / 1e9, 2)) for each in fixed.full] == [
        ("dtn1.tool.pace", 10.0),
        ("dtn2.tool.pace", 10.0),
        ("dtn", 20.0),
    ]


def test_sensitivity():
    found = purchase_for_site(site(), "40 Gb/s", growth="50 %", years=2, vary="10 %")
    cases = {each.change: each.usd for each in found.cases}
    assert cases["prices of hosts +10 %"] == pytest.approx(28_000 + 800)
    assert cases["prices of links −10 %"] == pytest.approx(28_000 - 2000)
    # 44 to 99 Gb/s: 11 hosts, 5 links; a growth of 55 %, to 96.1 Gb/s, needs 11 hosts as well
    assert cases["demand +10 %"] == pytest.approx(29_000)
    assert cases["growth 55 % a year"] == pytest.approx(29_000)
    assert purchase_for_site(site(), "40 Gb/s", vary=0).cases == ()


@pytest.mark.parametrize(
    ("changes", "words", "message"),
    [
        (
            {},
            {"growth": "-200 %"},
            "found a growth of -2 a year, expected more than -100 % and at most 1000 %, such as 30 %",
        ),
        ({}, {"years": 90}, "found 90 years, expected 0 to 50"),
        ({}, {"vary": 1}, "found vary 1, expected a part from 0 to less than 1, such as 20 %"),
        ({}, {"target": "inf Gb/s"}, "found a target of inf bit/s, expected more than 0, and an end"),
        (
            {"wave": {"offers": {"fast": 1}}},
            {},
            "found 'fast', expected a rate and its price",
        ),
        (
            {"hosts": 1},
            {"target": "1 Pb/s"},
            "found a demand of 1.00 Pb/s on dtn, expected what at most 10,000 of each offer carry",
        ),
    ],
)
def test_bad_questions(changes, words, message):
    with pytest.raises(InputError) as error:
        purchase_for_site(site(**changes), **{"target": "40 Gb/s", **words})
    assert str(error.value) == message


def test_nothing_to_buy():
    with pytest.raises(InputError) as error:
        purchase_for_site(
            {"path": "lan-10ge", "tool": "iperf3", "transfers": [{"sender": "ideal", "receiver": "ideal"}]}, 1e9
        )
    expected = "cost or offers of hosts or links that its transfers use"
    assert str(error.value) == f"found nothing with a price, expected {expected}"


def test_command(tmp_path, capsys):
    path = tmp_path / "site.yaml"
    path.write_text(json.dumps(site()), encoding="utf-8")
    words = ["purchase", "--site", str(path), "--target", "40Gb/s", "--growth", "50%", "--years", "2"]
    assert main(words) == 0
    assert "   2  wave  1 x 25.3 Gb/s  $5,000" in capsys.readouterr().out
    assert main([*words, "--no-spare", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["usd"] == pytest.approx(7000 + 15_000)
    assert main([*words, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("0,dtn,hosts,ideal,3,3000,10000000000")
    assert main([*words, "--like", "a++"]) == 1
    expected = "one or the other: hosts and prices are those of the site"
    assert capsys.readouterr().err == f"hecn: found --like with --site, expected {expected}\n"
    assert main(words[:3]) == 1
    assert "found no target, expected --target RATE: that of all" in capsys.readouterr().err
    path.write_text(json.dumps(site(switches={"border": {"rate": "30 Gb/s"}})), encoding="utf-8")
    assert main(words) == 1
    assert "found a demand that border.switch does not carry" in capsys.readouterr().err
