"""Node autoscalers' reasons for not adding a node for a Pod: a new node of the group would not fit it either."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import NAME, SPACE, LastWord, words

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "wait-ended",
        words(r"\bScale-up timed out for (?P<resource>node group) (?P<name>[\w./:-]{1,200}) after \d"),
        ("Scale-up timed out for node group ",),
        (Seen("cluster-autoscaler", "1.2–1.34", "clusterstate/clusterstate.go (updateScaleRequests)"),),
        (
            Example(
                "W1121 03:00:00.1 1 clusterstate.go:266] Scale-up timed out for node group blue-2 after 15m5.5s",
                "wait-ended name=blue-2 resource=node group",
            ),
            Example(
                "Scale-up timed out for node group projects/a/zones/b/instanceGroups/c after 15m0.1s",
                "wait-ended name=projects/a/zones/b/instanceGroups/c resource=node group",
            ),
        ),
        own=True,
    ),
    LastWord(
        "group-unfit",
        words(
            rf"\bPod (?:(?P<namespace>{SPACE})[/.])?(?P<name>{NAME}) can't be scheduled on (?P<group>[\w./:-]{{1,200}}), predicate (?:checking error|failed): "
            r"(?P<reason>[^;\n]{3,200})"
        ),
        ("can't be scheduled on ",),
        (
            Seen(
                "cluster-autoscaler",
                "1.12–1.34",
                "core/scaleup/orchestrator/orchestrator.go, core/scale_up.go",
            ),
        ),
        (
            Example(
                "Pod shop/till-1 can't be scheduled on blue-2, predicate checking error: Insufficient memory; predicateName=NodeResourcesFit; reasons: Insufficient memory",
                "group-unfit group=blue-2 name=till-1 namespace=shop reason=Insufficient memory",
            ),
            Example(
                "Pod till-1 can't be scheduled on blue-2, predicate checking error: node(s) had untolerated taint {a: b}; predicateName=TaintToleration",
                "group-unfit group=blue-2 name=till-1 reason=node(s) had untolerated taint {a: b}",
            ),
        ),
        own=True,
    ),
    LastWord(
        "group-unfit",
        # A group that is at its limit may fit all the same.
        words(
            r"\bincompatible with (?:nodepool|provisioner) \\*\"(?P<group>[a-z0-9][a-z0-9.-]{0,252})\\*\", (?:daemonset overhead=\{[^{}]{0,300}\}, )?"
            r"(?P<reason>(?:did not tolerate|incompatible requirements|no instance type|unsatisfiable topology|label)[^;\n]{3,240})"
        ),
        ("incompatible with nodepool", "incompatible with provisioner"),
        (Seen("Karpenter", "0.20–1.8", "pkg/controllers/provisioning/scheduling/scheduler.go"),),
        (
            Example(
                'incompatible with nodepool "gpu", daemonset overhead={"cpu":"180m","pods":"6"}, did not tolerate taint (taint=gpu=true:NoSchedule)',
                "group-unfit group=gpu reason=did not tolerate taint (taint=gpu=true:NoSchedule)",
            ),
            Example(
                'Failed to schedule pod, incompatible with nodepool "small", no instance type satisfied resources {"cpu":"40"} and requirements a In [b]',
                'group-unfit group=small reason=no instance type satisfied resources {"cpu":"40"} and requirements a In [b]',
            ),
        ),
        own=True,
    ),
)
