"""A Helm release has no revision that was deployed, so it cannot be upgraded

## How it happens

The first install of a release failed, or was cut off before its end, and left a revision that was never
deployed; or all records of the release are gone. `helm upgrade`, also with `--install`, builds on the last
deployed revision, and finds none.

## How to tell

`UPGRADE FAILED: "NAME" has no deployed releases`. `helm list -a` shows the release as `failed` or
`pending-install`, while `helm list` without `-a` hides pending releases.

## Known limits

Its evidence is the message alone: it is never more than likely. It does not give the reason why the first
install failed. Newer versions of Helm upgrade a failed first install themselves.

## References

- Helm pkg/action/upgrade.go, pkg/storage/storage.go (`Deployed`), pkg/storage/driver/driver.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KEEP = DoNot(
    say("uninstall a release whose data are still needed, or delete its Namespace"),
    say("what it made is deleted with it, PVCs of its own templates too"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("release-undeployed",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    means = say(
        "Helm has no deployed revision of release {name}: its first install failed or was cut off, or the "
        "record of it is gone; an upgrade needs a deployed one",
        name=name,
    )
    look = Step(
        say("see its revisions, hidden ones too, and why the first one failed"),
        command=command(
            "helm history {name} {space}",
            name=given.release(name),
            space=given.namespace(one.complaint.namespace or "NAMESPACE"),
        ),
    )
    again = Step(
        say(
            "fix why the first install failed; then, if nothing that it made is needed, remove that with "
            "helm uninstall (the release's name and Namespace) and install again"
        ),
        verify=say("helm list shows it as deployed"),
    )
    return make_finding(pod, one, means, (look, again), do_not=(_KEEP,))


CAUSE = Cause(
    id="program.release-undeployed",
    title=say("a Helm release has no deployed revision to upgrade"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
