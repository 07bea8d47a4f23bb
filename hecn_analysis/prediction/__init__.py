"""Prediction: how fast a transfer should be, what limits it, and what would limit it next.

`compare` compares predictions with measured series. It reads logs, so import it explicitly.
"""

from hecn_analysis.prediction.result import Assumption, Flow, Prediction, Rung
from hecn_analysis.prediction.single import predict

__all__ = ["Assumption", "Flow", "Prediction", "Rung", "predict"]
