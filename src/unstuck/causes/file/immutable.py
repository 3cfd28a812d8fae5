"""A file carries the immutable or append-only attribute

## How it happens

A user, or an image's own script, set `chattr +i` (or `+a`) on a file. When the Pod is deleted, the kubelet
removes the content of its volumes; the kernel refuses to unlink such a file even for root. The kubelet
retries forever, at intervals that grow to two minutes, and the Pod stays. No Event is written and the Node
stays Ready.

## How to tell

`lsattr` shows `i` or `a` on the file or on a directory above it. The kubelet's log repeats
`UnmountVolume.TearDown failed … unlinkat …: operation not permitted`.

## Known limits

`operation not permitted` has other causes as well (a security module, a missing capability), so the message
alone makes it likely; the attribute itself proves it. In a container's root filesystem only a kubelet up to
1.21 waits for the removal; with newer ones the Pod is removed and a snapshot is left behind on the Node, so
ask about the Node there. File systems without attributes answer "not supported": then this stays open.

## References

- chattr(1), ioctl_iflags(2), statx(2)
- Kubernetes pkg/volume/emptydir/empty_dir.go (TearDownAt), pkg/kubelet/kubelet_pods.go
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import FlaggedFile, FlaggedFiles
from unstuck.facts.aspects.objects import Conditions, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import Operation
from unstuck.stages.waiting import reports

say = Messages(__name__)

_REMOVALS: tuple[Operation, ...] = ("volume-tear-down", "rootfs-remove", "snapshot-remove")


def _rule(subject: Ref, snap: Facts) -> Signs:
    refused = hearsay(
        snap, Failure, subject, lambda f: [f] if f.operation in _REMOVALS and f.error == "EPERM" else []
    )
    flagged = some(snap, FlaggedFiles, subject, lambda f: f.files, [f.path for f in refused.hits])
    node = subject if subject.kind == "Node" else find_node_of_pod(subject, snap)

    def finding() -> Finding:
        files = flagged.hits or tuple(FlaggedFile(f.path or "?", "") for f in refused.hits)
        rootfs = not flagged.hits and all(f.operation != "volume-tear-down" for f in refused.hits)
        return _make_finding(subject, files, (node.name or "") if node else "", rootfs)

    # A container's leftover file is no reason for a Node's silence.
    silenced = subject.kind == "Node" and not flagged.value and not refused.value
    return Signs(
        applies=reports(subject, snap) if silenced else Sign(True),
        decisive={"a file below carries i or a": flagged},
        supporting={"removal was refused: operation not permitted": refused},
        finding=finding,
    )


def _make_finding(subject: Ref, files: tuple[FlaggedFile, ...], node: str, rootfs: bool) -> Finding:
    first = files[0]
    letter = "a" if first.append_only and not first.immutable else "i"
    flag = say("append-only") if letter == "a" else say("immutable")
    more = say(" (and {more} more)", more=len(files) - 1) if len(files) > 1 else NO_TEXT
    leaked = subject.kind == "Node"
    if leaked:
        says = say(
            (
                "The runtime cannot remove a container's files: {path} has the {flag} flag{more}; a "
                "snapshot is left behind"
            ),
            path=first.path,
            flag=flag,
            more=more,
        )
    elif rootfs:
        says = say(
            "The runtime cannot remove a container's files: {path} has the {flag} flag{more}",
            path=first.path,
            flag=flag,
            more=more,
        )
    else:
        says = say(
            "The kubelet cannot empty a volume: {path} has the {flag} flag{more}",
            path=first.path,
            flag=flag,
            more=more,
        )
    where = place_on_node(node)
    paths = given.paths(f.path for f in files[:8])
    clear = Step(
        say("clear the immutable flag on these files only"),
        where=where,
        command=command("chattr -i {paths}", paths=paths)
        if letter == "i"
        else command("chattr -a {paths}", paths=paths),
        risk="reversible",
        undo=command("chattr +i {paths}", paths=paths)
        if letter == "i"
        else command("chattr +a {paths}", paths=paths),
        verify=say("the kubelet retries automatically within about 2 min"),
    )
    keep = DoNot(
        say("force delete"),
        say("the directory stays on the node and nothing removes it later"),
    )
    culprit = Ref("File", node or None, first.path)
    return Finding(
        says, culprit, () if leaked else (subject,), help=(clear,), do_not=() if leaked else (keep,)
    )


CAUSE = Cause(
    id="file.immutable",
    title=say("a file has the immutable or append-only attribute"),
    subjects=("Pod", "Node"),
    stages=("volumes-unmounted",),
    reads=frozenset({FlaggedFiles, Failure, Placement, Conditions, Lease}),
    rule=_rule,
)
