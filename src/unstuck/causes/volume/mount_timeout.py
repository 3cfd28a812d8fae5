"""Mounting a volume does not finish in time

## How it happens

The kubelet or the CSI driver gives a mount some minutes. It takes longer: the server does not answer from
this Node, a driver waits for a device that does not appear, or `fsGroup` makes the kubelet change the owner
of millions of files.

## How to tell

`FailedMount` repeats for one named volume with `context deadline exceeded` or `Connection timed out`, without
a more specific message beside it.

## Known limits

A time-out names who waited, not why. `Unable to attach or mount volumes: … timed out` alone, which the
kubelet reports after every other failure, is no more than possible. Where the server's address is a Service,
the way there may be broken: network.service-unreachable-from-node.

## References

- Kubernetes pkg/volume/csi/csi_client.go, pkg/kubelet/volumemanager; nfs(5); kubernetes/kubernetes issue
  69699
"""

from __future__ import annotations

import re

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_SPECIFIC = regex(
    r"(?:MountVolume|MapVolume)\.(?:SetUp|SetUpDevice|MountDevice|MapPodDevice)|mount\.nfs4?: ", re.IGNORECASE
)
_NO_ROUTE: tuple[ErrorWord, ...] = ("EHOSTUNREACH", "ENETUNREACH")
_MINE: tuple[ErrorWord, ...] = ("timeout", "deadline-exceeded", *_NO_ROUTE)
_MEANS_NOTHING: tuple[ErrorWord, ...] = (*_MINE, "other", "call-failed")


def _rule(subject: Ref, snap: Facts) -> Signs:
    said = _starting.start_failures(subject, snap, _is_match, of_node=False)
    named = hearsay(snap, Failure, subject, lambda f: [f] if _names_error(f) else [])
    else_ = any(
        f.operation in ("volume-set-up", "volume-attach") and f.error not in _MEANS_NOTHING
        for f in snap.of(Failure, subject)
    )
    alone = Sign(None) if else_ or subject.kind == "Node" else named
    asked = (Want(Events, subject),) if subject.kind == "Pod" else ()
    return Signs(
        necessary={"the last attempt failed this way": said},
        decisive={"what the mount waited for": Sign(None, said.hits, said.seen, asked)},
        supporting={"the mount of one volume timed out, and nothing else failed": alone},
        finding=lambda: _make_finding(subject, _starting.pick_latest(said.hits), snap),
    )


def _is_match(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error in _MINE


def _names_error(f: Failure) -> bool:
    return _is_match(f) and _SPECIFIC.search(f"{f.src.quote} {f.message}") is not None


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    says = say("mounting {name} does not finish in time", name=name)
    if f.error in _NO_ROUTE:
        says = say("mounting {name} fails: there is no route to its server", name=name)
    return Finding(
        says + _starting.say_on_node(subject, snap),
        culprit=_starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("on that node, check whether the volume's server responds, and what the mount waits for"),
                where=_starting.place_step(subject, snap),
            ),
            Step(
                say(
                    "if the volume holds very many files and the Pod has an fsGroup: set "
                    "fsGroupChangePolicy OnRootMismatch"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("keep deleting the Pod"),
                say("each new Pod waits again, and half-done mounts pile up on nodes"),
            ),
        ),
    )


CAUSE = Cause(
    id="volume.mount-timeout",
    title=say("mounting a volume does not finish in time"),
    subjects=("Pod", "Node"),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
