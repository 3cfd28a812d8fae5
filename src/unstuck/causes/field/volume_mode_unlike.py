"""A PVC has a different volumeMode than the one its volume is used with

## How it happens

A claim with `volumeMode: Block` is a raw device, which a container takes in `volumeDevices`; one with
`Filesystem`, the default, is mounted in `volumeMounts`. A claim that was made before the StatefulSet's
template, or copied from elsewhere, has the other mode, and the kubelet prepares no volume.

## How to tell

The Pod has not started, and the volumeMode of one of its claims does not match `volumeMounts` or
`volumeDevices`.

## Known limits

The mode of a generic ephemeral volume is its Pod's own and not looked at.

## References

- Kubernetes pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go; core/v1
  PersistentVolumeMode
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes.container._ends import name_container
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Signs, Step
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Needs
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import list_statuses
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _check_mode(pod: Ref, snap: Facts) -> Sign[Misfit]:
    """Compare the volumeMode of each claim with its use by the containers, if the Pod has not started."""
    if all(s.state in ("running", "terminated") or s.last for s in list_statuses(pod, snap)):
        return Sign(False, seen=snap.of(ContainerStatuses, pod))
    claims = {
        n.volume: n.object for f in snap.of(Needs, pod) for n in f.items if n.by == "claim" and n.volume
    }
    # Most Pods that wait have other reasons: a claim is asked for only where the kubelet complains of its
    # mode.
    said = any("volumeMode" in f.message for f in snap.of(Failure, pod))
    signs = [
        _hold_mode(pod, *use, claims[use[1]], snap, ask=said) for use in _uses(pod, snap) if use[1] in claims
    ]
    return any_of(signs) if signs else Sign(None)


def _uses(pod: Ref, snap: Facts) -> Iterator[tuple[str, str, bool]]:
    """Yield each use of a volume: the container, the volume, whether as a block device."""
    for spec in (c for f in snap.of(Containers, pod) for c in f.items):
        yield from ((spec.name, volume, False) for _, volume in spec.mounts)
    yield from (
        (c.name, volume, True) for f in snap.of(PodSettings, pod) for c in f.items for volume in c.devices
    )


def _hold_mode(
    pod: Ref, container: str, volume: str, block: bool, claim: Ref, snap: Facts, *, ask: bool
) -> Sign[Misfit]:
    known = some(
        snap,
        Claim,
        claim,
        lambda f: (
            [_find_wrong_mode(pod, container, volume, block, claim)]
            if f.whole and f.block is not block
            else []
        ),
    )
    return known if ask or known.value is not None else Sign(None)


def _find_wrong_mode(pod: Ref, container: str, volume: str, block: bool, claim: Ref) -> Misfit:
    mode, other = ("Filesystem", "Block") if block else ("Block", "Filesystem")
    used = "volumeDevices" if block else "volumeMounts"
    right = "volumeMounts" if block else "volumeDevices"
    return Misfit(
        of=pod,
        field=f"containers[{container}].{used}",
        says=say(
            (
                "PVC {claim} has volumeMode {mode}, and {who} uses its volume {volume} in {used}, which "
                "requires {other}"
            ),
            claim=claim.name,
            mode=mode,
            who=name_container(container),
            volume=volume,
            used=used,
            other=other,
        ),
        help=(
            Step(
                say(
                    (
                        "either use it in {right}, or recreate the claim with volumeMode {other}: the field "
                        "of a claim cannot be changed"
                    ),
                    right=right,
                    other=other,
                ),
                where="source",
                verify=say("the kubelet prepares the volume within about 2 min"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a claim's volumeMode is not how its volume is used",
        "of-kind",
        ("Pod",),
        _check_mode,
        frozenset({Claim, Needs, Failure, Containers, ContainerStatuses, PodSettings}),
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.volume-mode-unlike",
    title=say("a PVC has a different volumeMode than the one its volume is used with"),
    subjects=("Pod",),
    stages=("devices-and-volumes-prepared",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
