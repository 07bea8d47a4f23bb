"""What the resources of a scenario allow at the central values of its parameters, without draws."""

from hecn_analysis.hardware import load_scenario
from hecn_analysis.prediction.draws import Draws
from hecn_analysis.prediction.model import Model


def steady(keys, **settings):
    """Throughput of all flows in Gb/s, and the resource that limits the first one."""
    changed = {**keys, **{key.replace("__", "."): value for key, value in settings.items()}}
    model = Model(load_scenario(changed), Draws(0), levels=1)
    throughput, stopped = model.levels[0]
    return float(throughput.sum()) / 1e9, model.system.resources[stopped[0, 0]].name


def central_bps(scenario):
    """Throughput of all flows of a loaded scenario in bit/s."""
    return float(Model(scenario, Draws(0), levels=1).levels[0][0].sum())


def rate(keys, **settings):
    """Throughput of all flows in Gb/s."""
    return steady(keys, **settings)[0]
