"""A probe's command takes longer than the probe's timeout

## How it happens

`timeoutSeconds` is 1 by default. A command that starts an interpreter, asks a database or waits for a lock
takes longer, on a busy Node at least, and the kubelet ends it: the probe fails though the program is well.

## How to tell

The kubelet says `timed out after 1s` of an exec probe, and the container's probe has that timeoutSeconds.

## Known limits

A slow command and one that waits for a hung dependency look the same: it stays likely. A late answer to an
HTTP probe is not covered: there it is open whether the program was reached.

## References

- Kubernetes core/v1 Probe; pkg/probe/exec/exec.go
"""

from __future__ import annotations

from unstuck.causes.cgroup._shared_groups import is_starved_above
from unstuck.causes.container._ends import name_container
from unstuck.causes.container._probed import PROBES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, hearsay, unique
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.aspects.cgroup_limits import CgroupLimits
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerSpec, ContainerStatuses, Handler
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, list_statuses, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_TIMED_OUT = regex(r"timed out after (?P<seconds>\d{1,4})s\b")


def _check_probe_time(pod: Ref, snap: Facts) -> Sign[Misfit]:
    """Compare the timeout of a probe's command with the kubelet's message that it was exceeded."""
    ill = {s.name for s in list_statuses(pod, snap) if not s.ready}
    said = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f] if f.operation.startswith("probe-") and _TIMED_OUT.search(f.message) else [],
    )
    if any(is_starved_above(g) for f in snap.of(CgroupLimits, pod) for g in f.items):
        # A slow command is slow for all Pods of that group.
        return Sign(None)
    for f in reversed(said.hits):
        spec = find_container_spec(pod, f.container, snap) if f.container in ill else None
        kind = f.operation.partition("-")[2]
        handler = _find_handler(spec, kind) if spec else None
        seconds = int(m["seconds"]) if (m := _TIMED_OUT.search(f.message)) else 0
        if spec and handler and handler.how == "exec" and handler.timeout == seconds:
            return Sign(
                True,
                (_find_slow(pod, spec, kind, handler),),
                unique((f, *snap.of(Containers, pod))),
                sure=said.sure,
            )
    return Sign(None)


def _find_handler(spec: ContainerSpec, kind: str) -> Handler | None:
    return {"liveness": spec.liveness, "readiness": spec.readiness, "startup": spec.startup}.get(kind)


def _find_slow(pod: Ref, spec: ContainerSpec, kind: str, handler: Handler) -> Misfit:
    field = f"containers[{spec.name}].{kind}Probe.timeoutSeconds"
    default = say(", because it is not set") if handler.timeout == 1 else NO_TEXT
    return Misfit(
        of=pod,
        field=field,
        says=say(
            "the command of the {kind} probe of {who} ({what}) takes longer than timeoutSeconds, which is "
            "{seconds} s{default}: each try is ended before it has answered",
            kind=PROBES[kind],
            who=name_container(spec.name),
            what=handler.what,
            seconds=handler.timeout,
            default=default,
        ),
        help=(
            mend(
                say(
                    (
                        "raise {field} above what the command takes, and periodSeconds with it, or make the "
                        "command quicker"
                    ),
                    field=field,
                )
            ),
        ),
        blocks=(
            make_container_ref(pod, spec.name),
            Ref("Probe", f"{pod.within}/{pod.name}", f"{spec.name} {kind}"),
        ),
        do_not=(DoNot(say("remove the probe"), say("a program that hangs would not be noticed any more")),),
    )


PAIRS = (
    Pair(
        "a probe's command is ended at its timeoutSeconds",
        "equal",
        ("Pod",),
        _check_probe_time,
        frozenset({CgroupLimits, Failure, Containers, ContainerStatuses}),
        proves=False,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.probe-time-short",
    title=say("a probe's command takes longer than the probe's timeout"),
    subjects=("Pod",),
    stages=("init-done", "started", "ready", "stays-up"),
    reads=list_reads(PAIRS),
    rule=_rule,
)
