"""Prediction: how fast a transfer should be, what binds, what would bind next.

`compare` sets predictions against measured series; it reads logs, and is imported where that is wanted.
"""

from hecn_analysis.prediction.result import Assumption, Flow, Prediction, Rung
from hecn_analysis.prediction.single import predict

__all__ = ["Assumption", "Flow", "Prediction", "Rung", "predict"]
