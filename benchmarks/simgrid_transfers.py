"""Transfers over a site in SimGrid, the peer of `sites`: fluid, shares of a link equal, no latency, no start-up.

Run by a Python that has the package `simgrid`. Each line of stdin is a file in JSON with ``hosts``, ``links`` (name to
payload per second [B/s]), ``routes`` (two hosts, and links with their direction) and ``transfers`` (two hosts, start
[s], amount [B]); it is answered with the end of each transfer [s]. A simulation ends the process.
"""

import json
import sys
from pathlib import Path

import simgrid

OPTIONS = ("network/model:CM02", "network/TCP-gamma:0", "network/weight-S:0", "network/crosstraffic:0")
FACTORS = ("network/bandwidth-factor:1", "network/latency-factor:1")


def ends_s(case: dict) -> list:
    """Follow all transfers, each an actor of its own."""
    engine = simgrid.Engine(["transfers", "--log=root.thres:error", *(f"--cfg={one}" for one in OPTIONS + FACTORS)])
    zone = simgrid.NetZone.create_full_zone("site")
    hosts = {name: zone.create_host(name, 1e9) for name in case["hosts"]}
    links = {
        name: zone.create_split_duplex_link(name, f"{rate}Bps").set_latency("0s").seal()
        for name, rate in case["links"].items()
    }
    ways = simgrid.LinkInRoute.UP, simgrid.LinkInRoute.DOWN
    for first, second, route in case["routes"]:
        hops = [simgrid.LinkInRoute(links[name], ways[backwards]) for name, backwards in route]
        zone.add_route(hosts[first].netpoint, hosts[second].netpoint, None, None, hops, False)  # noqa: FBT003 - symmetrical, which 3.32 takes by place only
    zone.seal()
    ends = [0.0] * len(case["transfers"])

    def transfer(number: int, sender: str, receiver: str, start: float, amount: float) -> None:
        simgrid.this_actor.sleep_for(start)
        simgrid.Comm.sendto_async(hosts[sender], hosts[receiver], round(amount)).wait()
        ends[number] = engine.clock

    for number, (sender, receiver, start, amount) in enumerate(case["transfers"]):
        simgrid.Actor.create(str(number), hosts[sender], transfer, number, sender, receiver, start, amount)
    engine.run()
    return ends


print("ready", flush=True)
print(json.dumps(ends_s(json.loads(Path(sys.stdin.readline().strip()).read_text()))), flush=True)
