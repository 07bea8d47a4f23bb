"""Signs of folders that tests write."""

from hecn_analysis.diagnosis.facts import Facts
from hecn_analysis.diagnosis.kinds import kinds, without_runs
from hecn_analysis.diagnosis.signs import signs
from hecn_analysis.ingest.folder import read_folder
from tests.diagnosis import everyday as e

STEADY = [100e6] * 10


def folder(place, files):
    """Write files into a folder."""
    for name, content in files.items():
        (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


def facts_of(place, files):
    found = read_folder(folder(place, files))
    return Facts((kinds(found) or [without_runs(found)])[0])


def values(place, **files):
    """Signs of a folder by their names; of the files' names the last underline stands for the dot."""
    named = {".".join(name.rsplit("_", 1)).replace("_", "-"): content for name, content in files.items()}
    return {sign.name: sign.value for sign in signs(facts_of(place, named))}


def iperf3(rates=STEADY, cwnd=3.0 * e.MIB, resent=None, **more):
    return e.iperf3(rates, cwnd and [cwnd] * len(rates), resent, **{"command": "iperf3 -c 10.30.0.12", **more})
