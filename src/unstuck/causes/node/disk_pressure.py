"""The Node is short of disk space or inodes

## How it happens

Images, dead containers, logs or emptyDir volumes have left less on the file system of the kubelet or of the
images than its eviction thresholds allow (10 and 15 percent, 5 percent of the inodes by default). Removing
unused images did not free enough.

## How to tell

The Node's condition DiskPressure is True: the kubelet itself measures it. It then evicts Pods by their disk
usage, lets no new ones in, and the taint `node.kubernetes.io/disk-pressure` keeps others away. It is not full
yet: that is node.disk-full.

## Known limits

The condition does not name the file system; the Node itself shows it. A kubelet that measures another file
system than its own reports false pressure: node.disk-capacity-misread. The condition stays for five minutes
afterwards. A kubelet whose log says repeatedly that it cannot remove enough images (`Image garbage collection
failed multiple times in a row`) is likely under pressure: with non-default thresholds, it need not be.

## References

- Kubernetes documentation "Node-pressure Eviction"; pkg/kubelet/eviction/eviction_manager.go
"""

from __future__ import annotations

import re

from unstuck.causes._commands import runs_docker
from unstuck.causes._kubelet_settings import READS as THRESHOLD_READS
from unstuck.causes.node._pressure import make_signs
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import hearsay, some
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Conditions, Events
from unstuck.facts.aspects.space import DiskSpace, Space
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.regex import regex

say = Messages(__name__)

_TENTH = 10
# pkg/kubelet/kubelet.go (StartGarbageCollection): every five minutes. The defaults of both marks are 85 %.
_AGAIN = regex(r"multiple times in a row\b.*required amount of images", re.S)


def _rule(node: Ref, snap: Facts) -> Signs:
    low = some(
        snap,
        DiskSpace,
        node,
        lambda f: [s for s in f.items if s.bytes and s.bytes_free * _TENTH < s.bytes * 2],
    )
    told = make_signs(
        node,
        snap,
        "DiskPressure",
        "NodeHasDiskPressure",
        lambda since: _make_finding(node, since, low.hits, snap),
        ("FreeDiskSpaceFailed",),
        # If each file system has free space, the kubelet measures another one: node.disk-capacity-misread.
        ()
        if snap.of(DiskSpace, node) and not low.hits
        else ("ephemeral-storage", "inodes", "nodefs", "imagefs"),
    )
    # The file system of the images stays above the mark from which on the kubelet removes images: it is the
    # eviction threshold.
    kept = hearsay(
        snap,
        Events,
        node,
        lambda f: [e for e in f.items if e.reason == "ImageGCFailed" and _AGAIN.search(e.message)],
    )
    return replace(told, supporting={**told.supporting, "removing images failed repeatedly": kept})


def _make_finding(node: Ref, since: tuple[Text, ...], low: tuple[Space, ...], snap: Facts) -> Finding:
    name = node.name or "NODE"
    docker = runs_docker(node, snap)
    prune = command("docker image prune -a") if docker else command("crictl rmi --prune")
    look = (
        command("for o in -h -i; do df $o / /var/lib/kubelet /var/lib/docker; done; docker system df")
        if docker
        else command(
            "for o in -h -i; do df $o / /var/lib/kubelet /var/lib/containerd; done; crictl imagefsinfo"
        )
    )
    where = f"node:{name}"
    spaces = tuple(
        say(
            "{mountpoint} has {mib} of {mib_2} MiB free",
            mountpoint=s.mountpoint or s.path,
            mib=s.bytes_free >> 20,
            mib_2=s.bytes >> 20,
        )
        for s in low[:3]
    )
    return Finding(
        say("Node {name} is short of disk space or inodes, and its kubelet is evicting Pods", name=name),
        culprit=node,
        blocks=(),
        notes=(*since, *spaces),
        help=(
            Step(
                say("see which file system it is, and what is short"),
                where=where,
                command=look,
            ),
            Step(
                say(
                    (
                        "remove images no container uses ({line} deletes them; Pods pull them again), and "
                        "old logs"
                    ),
                    line=prune.line,
                ),
                where=where,
                command=prune,
                risk="disrupts",
                verify=say("DiskPressure turns False some minutes later"),
            ),
            Step(
                say(
                    "permanently: limits.ephemeral-storage and sizeLimit for the Pods that write most, and "
                    "a larger disk"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("remove files below the kubelet's or the runtime's directory by hand"),
                say("running Pods' volumes are there, and the runtime would no longer find its layers"),
            ),
        ),
        enrich=() if snap.of(DiskSpace, node) else (Want(DiskSpace, node),),
    )


CAUSE = Cause(
    id="node.disk-pressure",
    title=say("the node is short of disk space or inodes"),
    subjects=("Node",),
    reads=frozenset({Conditions, Events, DiskSpace, NodeInfo}) | THRESHOLD_READS,
    rule=_rule,
)
