"""How fast should this transfer be, what holds it back, and what to change or buy.

>>> import hecn_analysis as hecn
>>> round(hecn.limits.pcie(gen=2, lanes=16, max_payload=128)["tmt_bps"] / 1e9, 4)
53.8947

Importing the package costs almost nothing: a public name brings its module, and pandas, NumPy or pydantic behind it,
when it is first used.
"""

TYPE_CHECKING = False  # as in `typing`, which would take longer to import than all else here

if TYPE_CHECKING:
    from hecn_analysis import limits as limits
    from hecn_analysis.base.errors import HecnError as HecnError
    from hecn_analysis.base.errors import InputError as InputError
    from hecn_analysis.base.errors import RangeError as RangeError
    from hecn_analysis.base.errors import ValidityWarning as ValidityWarning
    from hecn_analysis.comparison.runs import compare as compare
    from hecn_analysis.counters import read_counters as read_counters
    from hecn_analysis.diagnosis.verdict import diagnose as diagnose
    from hecn_analysis.figures.quick_look import plot as plot
    from hecn_analysis.ingest.folder import read_folder as read_folder
    from hecn_analysis.inventory import read_inventory as read_inventory
    from hecn_analysis.logs import read as read
    from hecn_analysis.planning.change.advise import advise as advise
    from hecn_analysis.planning.change.whatif import tornado as tornado
    from hecn_analysis.planning.change.whatif import whatif as whatif
    from hecn_analysis.planning.forecast.port_forecast import forecast as forecast
    from hecn_analysis.planning.purchase.cheapest import purchase as purchase
    from hecn_analysis.planning.purchase.cheapest import purchase_front as purchase_front
    from hecn_analysis.planning.roadmap.milestones import roadmap as roadmap
    from hecn_analysis.planning.site.failures import failures as failures
    from hecn_analysis.planning.site.growth import purchase_for_site as purchase_for_site
    from hecn_analysis.planning.site.schedule import schedule as schedule
    from hecn_analysis.planning.studies.pairs import compare_pairs as compare_pairs
    from hecn_analysis.prediction.calibration import calibrate as calibrate
    from hecn_analysis.prediction.sweep import sweep as sweep
    from hecn_analysis.prediction.validation import validate as validate
    from hecn_analysis.sites import load_scenario as load_scenario
    from hecn_analysis.sites import predict as predict

    __version__: str

# Public name -> the module that it comes from. A subpackage comes from itself.
_SOURCES = {
    "HecnError": "base.errors",
    "InputError": "base.errors",
    "RangeError": "base.errors",
    "ValidityWarning": "base.errors",
    "calibrate": "prediction.calibration",
    "failures": "planning.site.failures",
    "forecast": "planning.forecast.port_forecast",
    "compare_pairs": "planning.studies.pairs",
    "advise": "planning.change.advise",
    "compare": "comparison.runs",
    "limits": "limits",
    "diagnose": "diagnosis.verdict",
    "load_scenario": "sites",
    "plot": "figures.quick_look",
    "predict": "sites",
    "purchase": "planning.purchase.cheapest",
    "purchase_for_site": "planning.site.growth",
    "purchase_front": "planning.purchase.cheapest",
    "read": "logs",
    "read_counters": "counters",
    "read_folder": "ingest.folder",
    "read_inventory": "inventory",
    "roadmap": "planning.roadmap.milestones",
    "schedule": "planning.site.schedule",
    "sweep": "prediction.sweep",
    "tornado": "planning.change.whatif",
    "validate": "prediction.validation",
    "whatif": "planning.change.whatif",
}

__all__ = [
    "HecnError",
    "InputError",
    "RangeError",
    "ValidityWarning",
    "__version__",
    "advise",
    "calibrate",
    "compare",
    "compare_pairs",
    "diagnose",
    "failures",
    "forecast",
    "limits",
    "load_scenario",
    "plot",
    "predict",
    "purchase",
    "purchase_for_site",
    "purchase_front",
    "read",
    "read_counters",
    "read_folder",
    "read_inventory",
    "roadmap",
    "schedule",
    "sweep",
    "tornado",
    "validate",
    "whatif",
]


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        from importlib import import_module  # noqa: PLC0415 - so that an interrupt finds nothing being imported above

        if name == "__version__":
            value: object = import_module("importlib.metadata").version("hecn-analysis")
        elif (source := _SOURCES.get(name)) is None:
            here = import_module(__name__)  # Python suggests the nearest of its names
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=here)
        else:
            module = import_module(f"{__name__}.{source}")
            value = module if source == name else getattr(module, name)
        globals()[name] = value  # asked once
        return value
