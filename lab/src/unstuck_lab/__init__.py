"""A real Kubernetes on one host, with a catalogue of real faults."""

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.node import Node

__all__ = ["Fault", "Lab", "LabError", "Node"]
