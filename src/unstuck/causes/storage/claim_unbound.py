"""No volume can be had for a claim that the Pod uses

## How it happens

The claim has no PersistentVolume and none can be bound or made for it: none that is there is large enough or has the mode and class that
are asked for, the provisioner does not make one, a volume made by hand is held by an older claim, or the driver has no room left there.

## How to tell

The condition says `pod has unbound immediate PersistentVolumeClaims`, `node(s) didn't find available persistent volumes to bind` or
`node(s) did not have enough free storage`. Held against the claims, volumes and classes, that is what keeps the Pod from the Nodes.

## Known limits

What was read is of now, the scheduler's words are of its last try: where the two give other reasons, nothing is proven. Filters of a
scheduler that is configured otherwise, or extended, are not known here.

## References

- Kubernetes pkg/scheduler/framework/plugins/volumebinding/binder.go (1.34)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.causes.scheduling import _placed
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.placing import ClaimInput
from unstuck.facts.aspects.pod import Needs
from unstuck.facts.core import Ref
from unstuck.facts.quantity import shown
from unstuck.facts.snapshot import Snapshot

if TYPE_CHECKING:
    from unstuck.scheduling.found import Found

_KIND = "storage.claim-unbound"


def _words(text: str) -> bool:
    return "unbound immediate" in text or "persistent volumes to bind" in text or "enough free storage" in text


def _plain(text: str) -> bool:
    """What only a lack of volumes gives: an immediate claim may as well lack its class, its default or its provisioner."""
    return _words(text) and "unbound immediate" not in text


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    return _placed.signs(pod, snap, _KIND, _words, lambda at, _: _finding(pod, at, _claims(pod, snap)), _plain)


def _claims(pod: Ref, snap: Snapshot) -> tuple[Ref, ...]:
    """Those that the Pod names."""
    return tuple(n.object for f in snap.of(Needs, pod) for n in f.items if n.by == "claim")


def _finding(pod: Ref, at: Found | None, used: tuple[Ref, ...]) -> Finding:
    unbound = _unbound(pod, at) if at else ()
    # Which one it is, the objects tell; without them it is known where the Pod has one alone.
    alone = used[0] if len(used) == 1 else Ref("PersistentVolumeClaim", pod.within)
    claim = Ref("PersistentVolumeClaim", pod.within, unbound[0].name, unbound[0].uid or None) if unbound else alone
    notes = tuple(_asks(c) for c in unbound[:3])
    return Finding(
        Text(f"claim {claim.name}, which the Pod uses, has no volume", f"Pod 使用的 PVC {claim.name} 没有卷")
        if claim.name
        else Text("a claim that the Pod uses has no volume", "Pod 使用的某个 PVC 没有卷"),
        culprit=claim,
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                Text("see what the claim's own Events say", "查看该 PVC 自己的事件"),
                command=("unstuck", "why", f"pvc/{claim.name or 'NAME'}", "-n", pod.within or "default"),
                verify=_placed.PLACED,
            ),
        ),
        do_not=(
            DoNot(
                Text("take the claimRef off a Released volume to use it again", "去掉 Released 卷的 claimRef 以便再用"),
                Text(
                    "what the former claim wrote is still on it, and the new owner may overwrite it",
                    "旧 PVC 的数据仍在上面，新的使用者可能覆盖它",
                ),
            ),
        ),
    )


def _unbound(pod: Ref, at: Found) -> tuple[ClaimInput, ...]:
    names = [v.claim for v in at.pod.shape.spec.volumes if v.claim]
    return tuple(c for n in names if (c := at.cluster.claims.get((pod.within or "", n))) and not c.volume)


def _asks(claim: ClaimInput) -> Text:
    class_ = claim.storage_class or "-"
    size = shown("ephemeral-storage", claim.size).partition(" of ")[0] if claim.size else "-"
    modes = ", ".join(claim.modes)
    return Text(f"it asks for {size}, {modes}, class {class_}", f"它请求 {size}、{modes}、类 {class_}")


CAUSE = Cause(
    id="storage.claim-unbound",
    title=Text("no volume can be had for a claim that the Pod uses", "Pod 使用的 PVC 得不到卷"),
    subjects=("Pod",),
    stages=("scheduled",),
    reads=_placed.READS | {Needs},
    rule=_rule,
)
