"""A kubelet has an eviction threshold above the free space of its file system."""

from unstuck_lab.faults import _kubelet

FAULT = _kubelet.make_pressure_fault(
    "node-disk-short",
    "a Node reports that it is short of disk space",
    node="lab-2",
    condition="DiskPressure",
    signal="nodefs.available",
    # The size of the whole file system.
    most="df -P -k /var/lib/kubelet | awk 'NR == 2 {print $2 \"Ki\"}'",
    accepts="node.disk-pressure",
)
