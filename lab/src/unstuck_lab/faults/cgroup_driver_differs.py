"""The runtime creates its groups through systemd, the kubelet directly: runc gets a path that it cannot
parse.
"""

from unstuck_lab.faults import _handler

FAULT = _handler.make_fault(
    "cgroup-driver-differs",
    "a Pod does not start because its runtime manages cgroups otherwise than the kubelet",
    handler="by-systemd",
    pod="two-drivers",
    says="slice:prefix:name",
    accepts="cgroup.driver-mismatch",
)
