"""A kubelet has to keep all of its node's memory free, so any running Pod is too much."""

from unstuck_lab.faults import _kubelet

FAULT = _kubelet.make_pressure_fault(
    "node-memory-short",
    "a Node reports that it is short of memory",
    node="lab-1",
    condition="MemoryPressure",
    signal="memory.available",
    most="awk '/^MemTotal/ {print $2 \"Ki\"}' /proc/meminfo",
    accepts="node.memory-pressure",
)
