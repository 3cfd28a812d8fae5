"""Devices that a Pod claims (dynamic resource allocation), which the kubelet has a driver prepare.

Source: pkg/kubelet/cm/dra (1.34).
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_GRPC = "google.golang.org/grpc/internal/status/status.go"
_DEVICES: tuple[Operation, ...] = ("resources-prepare", "resources-unprepare")

CALLS: tuple[Call, ...] = (
    Call(
        words(r"unprepare (?:dynamic )?resources?"),
        "resources-unprepare",
        ("unprepare",),
        (Seen("kubelet", "1.26–1.34", "pkg/kubelet/cm/dra/manager.go"),),
        (
            Example(
                "failed to unprepare resources: DRA driver gpu.example.com is not registered",
                "resources-unprepare driver-not-registered object=DRADriver/gpu.example.com",
            ),
            Example(
                "unprepare dynamic resources: context deadline exceeded",
                "resources-unprepare deadline-exceeded",
            ),
        ),
    ),
    Call(
        words(r"(?<!un)prepare (?:dynamic )?resources?"),
        "resources-prepare",
        ("prepare resource", "prepare dynamic resource"),
        (Seen("kubelet", "1.26–1.34", "pkg/kubelet/cm/dra/manager.go"),),
        (
            Example(
                "Failed to prepare dynamic resources: DRA driver gpu.example.com is not registered",
                "resources-prepare driver-not-registered object=DRADriver/gpu.example.com",
            ),
            Example(
                "failed to prepare dynamic resources: context deadline exceeded",
                "resources-prepare deadline-exceeded",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"DRA driver (?P<name>[^\s\"]{1,253}) is not registered"),
        "driver-not-registered",
        ("dra driver",),
        (Seen("kubelet", "1.30–1.34", "pkg/kubelet/cm/dra/plugin"),),
        (
            Example(
                "prepare dynamic resources: DRA driver a.example is not registered",
                "resources-prepare driver-not-registered object=DRADriver/a.example",
            ),
            Example(
                "unprepare dynamic resources: DRA driver a.example is not registered",
                "resources-unprepare driver-not-registered object=DRADriver/a.example",
            ),
        ),
        Rank.NAMED,
        kind="DRADriver",
    ),
    Error(
        words(
            r"dial unix (?P<path>/[^\s:\"]{0,1000}/plugins/(?P<name>[^\s:/\"]{1,253})/[^\s:\"]{1,253}): connect: (?:connection refused|no such file)"
        ),
        "driver-not-answering",
        ("dial unix",),
        (Seen("Go net, under gRPC to a DRA driver (1.26–1.34)", "all", "src/net/net.go (OpError)"),),
        (
            Example(
                "unprepare dynamic resources: NodeUnprepareResources: rpc error: code = Unavailable desc = connection error: desc = "
                '"transport: Error while dialing: dial unix /var/lib/kubelet/plugins/gpu.example.com/dra.sock: connect: connection refused"',
                "resources-unprepare driver-not-answering object=DRADriver/gpu.example.com path=/var/lib/kubelet/plugins/gpu.example.com/dra.sock",
            ),
            Example(
                "prepare dynamic resources: NodePrepareResources: rpc error: code = Unavailable desc = connection error: desc = "
                '"transport: Error while dialing: dial unix /k/plugins/a.example/dra.sock: connect: no such file or directory"',
                "resources-prepare driver-not-answering object=DRADriver/a.example path=/k/plugins/a.example/dra.sock",
            ),
        ),
        Rank.NAMED,
        within=_DEVICES,
        kind="DRADriver",
    ),
    Error(
        words(
            r"Node(?:Unp|P)repareResources failed for (?P<kind>ResourceClaim) (?P<name>[^\s:\"]{1,253}): [^\"\n]{0,300}"
        ),
        "call-failed",
        ("prepareresources failed",),
        (Seen("kubelet", "1.31–1.34", f"pkg/kubelet/cm/dra/manager.go, {_GRPC}"),),
        (
            Example(
                "unprepare dynamic resources: NodeUnprepareResources failed for ResourceClaim gpu-0: device 3 is still in use",
                "resources-unprepare call-failed object=ResourceClaim/gpu-0",
            ),
            Example(
                "prepare dynamic resources: NodePrepareResources failed for ResourceClaim gpu-1: no such device",
                "resources-prepare call-failed object=ResourceClaim/gpu-1",
            ),
        ),
        Rank.WAITER,
        within=_DEVICES,
    ),
    Error(
        words(r"Node(?:Unp|P)repareResources: rpc error: code = (?P<key>\w{1,30}) desc = [^\"\n]{0,300}"),
        "call-failed",
        ("prepareresources: rpc error",),
        (Seen("kubelet", "1.31–1.34", f"pkg/kubelet/cm/dra/manager.go, {_GRPC}"),),
        (
            Example(
                "unprepare dynamic resources: NodeUnprepareResources: rpc error: code = Internal desc = the device's library does not answer",
                "resources-unprepare call-failed key=Internal",
            ),
            Example(
                "unprepare dynamic resources: NodeUnprepareResources: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
                "resources-unprepare deadline-exceeded",
            ),
        ),
        Rank.WAITER,
        within=_DEVICES,
    ),
)
