"""A kubelet has to keep all of its node's process ids free."""

from unstuck_lab.faults import _kubelet

FAULT = _kubelet.make_pressure_fault(
    "node-processes-short",
    "a Node reports that it has no room for more processes",
    node="lab-3",
    condition="PIDPressure",
    signal="pid.available",
    most="cat /proc/sys/kernel/pid_max",
    accepts="node.pid-pressure",
)
