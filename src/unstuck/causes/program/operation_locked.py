"""Another operation holds the lock

## How it happens

Helm and Terraform let one run at a time work on a release or a state. A run that was interrupted (Ctrl+C, a
killed pipeline, a lost connection) leaves the lock: the release's newest revision stays `pending-…`, the
state stays locked.

## How to tell

The tool's own words: `another operation (install/upgrade/rollback) is in progress`, `Error acquiring the
state lock`.

## Known limits

Whether the other run still lives is not seen: look before the lock is taken away.

## References

- Helm pkg/action (`errPending`); Terraform documentation "State Locking"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import class_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.line_parts import find_namespace, find_release
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import Pasted
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_CALL, _HELM = "operation", "install/upgrade/rollback"
_KEEP = DoNot(
    say("delete the Namespace or uninstall the release for it"),
    say("everything that runs goes with it, and the lock is one Secret"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("lock-held",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    if one.complaint.verb == _CALL:
        return _make_call_finding(pod, one)
    if one.complaint.name:
        return _make_holder_finding(pod, one)
    if one.complaint.verb != _HELM:
        means = say("another run of Terraform holds the lock of this state, or died while it held it")
        step = Step(
            say("if no run is active any more: terraform force-unlock with the lock ID below the error")
        )
        return make_finding(pod, one, means, (step,))
    means = say(
        "the last Helm operation on this release has not ended: its newest revision is still pending, "
        "mostly of a run that was cut off"
    )
    if one.complaint.detail:
        means += say("; its history shows {row}", row=one.complaint.detail)
    typed = "\n".join(c.text for f in snap.of(Pasted, pod) for c in f.commands)
    history = class_commands.helm_history(find_release(typed), find_namespace(typed))
    looks = (
        Step(
            say("see which release is pending, and whether a Helm is still running"),
            command=command("helm list -A --pending"),
        ),
        Step(say("see its revisions"), command=history),
    )
    step = Step(
        say(
            "if none runs: helm rollback to the last deployed revision; for a first install delete the "
            "pending revision's Secret"
        )
    )
    return make_finding(pod, one, means, (*looks, step), do_not=(_KEEP,))


def _make_call_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a storage driver in which an earlier call for the same volume still runs."""
    c = one.complaint
    means = say(
        "an earlier call for {sort} {name} has not ended in the storage driver; this answer hides its error, "
        "or what it waits for",
        sort=c.resource.lower(),
        name=c.name,
    )
    look = Step(
        say(
            "find the first lines about it in the driver's own log: the controller's container beside the "
            "csi- sidecars for making and attaching, the node plugin's for mounting; mostly the storage does "
            "not answer"
        )
    )
    check = Step(
        say(
            "check that the storage is healthy, and that this Pod reaches it (Ceph: ceph status; its mons, "
            "MDS and OSDs through every firewall); the call is repeated by itself"
        )
    )
    again = DoNot(
        say("delete the PVC and create it again for this"),
        say("the next call waits for the same thing, and a volume may be left over in the storage"),
    )
    return make_finding(pod, one, means, (look, check), do_not=(again,))


def _make_holder_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a lock whose holder the message names."""
    c = one.complaint
    means = say("{holder} holds the {lock}", holder=c.name, lock=c.resource)
    means += say(" since {time}", time=c.reason) if c.reason else NO_TEXT
    look = Step(
        say("see whether the holder still runs: its name is usually that of a Pod"),
        command=command("kubectl get pods -A -o wide"),
    )
    taken = DoNot(
        say("release the lock while its holder runs"),
        say("both then write at once, and may damage the data"),
    )
    if pod.name and pod.name in c.name.split():
        # The runs of a container follow one another.
        means += say(": that is this very Pod, whose earlier run did not release it")
        own = mend(
            say(
                "if no other container of this Pod works with it, release the lock with the tool's own "
                "command (Liquibase: release-locks)"
            )
        )
        return make_finding(pod, one, means, (own,), do_not=(taken,))
    step = mend(
        say(
            "wait for it if it runs; if it is gone, release the lock with the tool's own command (Terraform: "
            "force-unlock; Liquibase: release-locks; restic: unlock), and try again"
        )
    )
    return make_finding(pod, one, means, (look, step), do_not=(taken,))


CAUSE = Cause(
    id="program.operation-locked",
    title=say("another operation holds the lock"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {Pasted},
    rule=_rule,
)
