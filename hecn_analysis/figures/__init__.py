"""Figures: each is a table of the drawn values and a Plotly drawing of that table, in one theme.

Each figure ``x`` has a module with ``x_rows`` (the table, which the tests check) and ``plot_x`` (the drawing). A
module is loaded when one of its names is first used, so that a notebook depends only on the figures that it shows, and
a change to another figure leaves its brief up to date.
"""

from typing import TYPE_CHECKING

from hecn_analysis.base.first_use import lazy_getattr

if TYPE_CHECKING:
    from hecn_analysis.figures.arrays import array_use_rows, plot_array_levels, plot_array_use
    from hecn_analysis.figures.calibration import calibration_rows, plot_calibration
    from hecn_analysis.figures.causes import causes_rows, plot_causes
    from hecn_analysis.figures.comparison import comparison_rows, plot_comparison
    from hecn_analysis.figures.course import course_rows, plot_course
    from hecn_analysis.figures.coverage import coverage_rows, plot_coverage
    from hecn_analysis.figures.error_strip import error_strip_rows, plot_error_strip
    from hecn_analysis.figures.forecast import forecast_rows, plot_forecast
    from hecn_analysis.figures.host_limits import host_limits_rows, plot_host_limits
    from hecn_analysis.figures.ladder import ladder_rows, plot_ladder
    from hecn_analysis.figures.limit_steps import limit_steps_rows, plot_limit_steps
    from hecn_analysis.figures.long_path import long_path_rows, plot_long_path
    from hecn_analysis.figures.matrix_coverage import matrix_coverage_rows, plot_matrix_coverage
    from hecn_analysis.figures.measured_vs_predicted import measured_vs_predicted_rows, plot_measured_vs_predicted
    from hecn_analysis.figures.pcie_tmt import pcie_tmt_rows, plot_pcie_tmt, slot_cases
    from hecn_analysis.figures.processor_time import plot_processor_time, processor_time_rows
    from hecn_analysis.figures.proxy_gain import plot_proxy_gain, proxy_gain_rows
    from hecn_analysis.figures.purchase_front import plot_purchase_front, purchase_front_rows
    from hecn_analysis.figures.reconciliation import plot_reconciliation, reconciliation_rows
    from hecn_analysis.figures.residuals import plot_residuals, residuals_rows
    from hecn_analysis.figures.resource_map import plot_resource_map, resource_map_rows
    from hecn_analysis.figures.service_levels import plot_service_levels, service_levels_rows
    from hecn_analysis.figures.site_course import plot_site_course, site_course_rows
    from hecn_analysis.figures.tool_matrix import plot_tool_matrix, tool_matrix_rows
    from hecn_analysis.figures.topology import plot_topology, topology_rows
    from hecn_analysis.figures.tornado import plot_tornado, tornado_rows
    from hecn_analysis.figures.traffic import plot_traffic, traffic_rows
    from hecn_analysis.figures.traffic_profile import plot_traffic_profile, traffic_profile_rows
    from hecn_analysis.figures.utilisation import plot_utilisation, utilisation_rows
    from hecn_analysis.figures.whatif import plot_whatif, whatif_rows

_SOURCES = {
    "array_use_rows": "arrays",
    "comparison_rows": "comparison",
    "causes_rows": "causes",
    "course_rows": "course",
    "calibration_rows": "calibration",
    "coverage_rows": "coverage",
    "error_strip_rows": "error_strip",
    "forecast_rows": "forecast",
    "host_limits_rows": "host_limits",
    "ladder_rows": "ladder",
    "limit_steps_rows": "limit_steps",
    "long_path_rows": "long_path",
    "matrix_coverage_rows": "matrix_coverage",
    "measured_vs_predicted_rows": "measured_vs_predicted",
    "pcie_tmt_rows": "pcie_tmt",
    "plot_array_levels": "arrays",
    "plot_array_use": "arrays",
    "plot_causes": "causes",
    "plot_comparison": "comparison",
    "plot_course": "course",
    "plot_calibration": "calibration",
    "plot_coverage": "coverage",
    "plot_error_strip": "error_strip",
    "plot_forecast": "forecast",
    "plot_host_limits": "host_limits",
    "plot_ladder": "ladder",
    "plot_limit_steps": "limit_steps",
    "plot_long_path": "long_path",
    "plot_matrix_coverage": "matrix_coverage",
    "plot_measured_vs_predicted": "measured_vs_predicted",
    "plot_pcie_tmt": "pcie_tmt",
    "plot_processor_time": "processor_time",
    "plot_proxy_gain": "proxy_gain",
    "plot_purchase_front": "purchase_front",
    "plot_reconciliation": "reconciliation",
    "plot_residuals": "residuals",
    "plot_resource_map": "resource_map",
    "plot_service_levels": "service_levels",
    "plot_site_course": "site_course",
    "plot_tool_matrix": "tool_matrix",
    "plot_topology": "topology",
    "plot_tornado": "tornado",
    "plot_traffic": "traffic",
    "plot_traffic_profile": "traffic_profile",
    "plot_utilisation": "utilisation",
    "plot_whatif": "whatif",
    "processor_time_rows": "processor_time",
    "proxy_gain_rows": "proxy_gain",
    "purchase_front_rows": "purchase_front",
    "reconciliation_rows": "reconciliation",
    "residuals_rows": "residuals",
    "resource_map_rows": "resource_map",
    "service_levels_rows": "service_levels",
    "slot_cases": "pcie_tmt",
    "site_course_rows": "site_course",
    "tool_matrix_rows": "tool_matrix",
    "topology_rows": "topology",
    "tornado_rows": "tornado",
    "traffic_profile_rows": "traffic_profile",
    "traffic_rows": "traffic",
    "utilisation_rows": "utilisation",
    "whatif_rows": "whatif",
}

__all__ = [
    "array_use_rows",
    "calibration_rows",
    "causes_rows",
    "comparison_rows",
    "course_rows",
    "coverage_rows",
    "error_strip_rows",
    "forecast_rows",
    "host_limits_rows",
    "ladder_rows",
    "limit_steps_rows",
    "long_path_rows",
    "matrix_coverage_rows",
    "measured_vs_predicted_rows",
    "pcie_tmt_rows",
    "plot_array_levels",
    "plot_array_use",
    "plot_calibration",
    "plot_causes",
    "plot_comparison",
    "plot_course",
    "plot_coverage",
    "plot_error_strip",
    "plot_forecast",
    "plot_host_limits",
    "plot_ladder",
    "plot_limit_steps",
    "plot_long_path",
    "plot_matrix_coverage",
    "plot_measured_vs_predicted",
    "plot_pcie_tmt",
    "plot_processor_time",
    "plot_proxy_gain",
    "plot_purchase_front",
    "plot_reconciliation",
    "plot_residuals",
    "plot_resource_map",
    "plot_service_levels",
    "plot_site_course",
    "plot_tool_matrix",
    "plot_topology",
    "plot_tornado",
    "plot_traffic",
    "plot_traffic_profile",
    "plot_utilisation",
    "plot_whatif",
    "processor_time_rows",
    "proxy_gain_rows",
    "purchase_front_rows",
    "reconciliation_rows",
    "residuals_rows",
    "resource_map_rows",
    "service_levels_rows",
    "site_course_rows",
    "slot_cases",
    "tool_matrix_rows",
    "topology_rows",
    "tornado_rows",
    "traffic_profile_rows",
    "traffic_rows",
    "utilisation_rows",
    "whatif_rows",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not TYPE_CHECKING:  # a type checker knows the names above, and no others
    __getattr__ = lazy_getattr(__name__, _SOURCES)
