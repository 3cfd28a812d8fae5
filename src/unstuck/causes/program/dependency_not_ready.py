"""An object that it depends on is not ready

## How it happens

A controller suspends its work on an object until another one, to which it refers, is ready: a store of
secrets, a source of manifests, an entry of `dependsOn`. The controller itself is well, and tries again by
itself.

## How to tell

`dependency 'NAMESPACE/NAME' is not ready`, `SecretStore "NAME" is not ready`: the other object with its kind
and name.

## Known limits

The message names the object without a reason: that is the next question. A later recovery is not seen. Any
other error in the text is reported instead.

## References

- Flux documentation: Kustomization, Dependencies; External Secrets Operator pkg/controllers/secretstore
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Flux names no kind: the dependency is of the kind that depends on it.
_OF_FLUX = "dependency"
_RETRIES = say("its controller continues by itself once that object is ready")
_KEEP = DoNot(
    say("remove the dependency as a workaround"),
    say("what is applied then lacks a dependency, and fails later and less clearly"),
)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "dependency-unready", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    name = f"{c.namespace}/{c.name}" if c.namespace else c.name
    means = say(
        "{object}, on which it depends, is not ready; its own status says why",
        object=name if c.resource == _OF_FLUX else f"{c.resource} {name}",
    )
    look = Step(
        say("check its conditions and Events, and fix what they name"), command=_look(one), verify=_RETRIES
    )
    return make_finding(text, one, means, (look,), do_not=(_KEEP,))


def _look(one: ProgramMessage) -> Command:
    c = one.complaint
    if c.resource == _OF_FLUX:
        return command(
            "kubectl get kustomizations.kustomize.toolkit.fluxcd.io,helmreleases.helm.toolkit.fluxcd.io "
            "{space}",
            space=given.namespace(c.namespace or None),
        )
    if not c.namespace:
        return command("kubectl get {kind} -A -o yaml", kind=given.kind_of(c.resource))
    return command(
        "kubectl describe {object} {space}",
        object=given.obj(c.resource, c.name),
        space=given.namespace(c.namespace),
    )


CAUSE = Cause(
    id="program.dependency-not-ready",
    title=say("an object that it depends on is not ready"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
