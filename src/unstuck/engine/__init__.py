"""Discovers the causes, judges them, asks for deciding facts, links root to consequence, groups into
incidents.
"""

from unstuck.engine.diagnose import diagnose
from unstuck.engine.discover import discover, list_causes
from unstuck.engine.evaluator import Evaluator
from unstuck.engine.incidents import group_incidents
from unstuck.engine.investigate import Collect, NodeMeans, investigate

__all__ = [
    "Collect",
    "Evaluator",
    "NodeMeans",
    "diagnose",
    "discover",
    "group_incidents",
    "investigate",
    "list_causes",
]
