"""A policy that denies for lack of its parameters: the object that its binding names is missing."""

from __future__ import annotations

from unstuck.causes.admission._refused import Denial
from unstuck.causes.config._missing import find_near_names
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.admission import AdmissionPolicies
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({AdmissionPolicies, Names, Presence})
# staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go, with
# parameterNotFoundAction Deny.
_LACKS = "no params found for policy binding"


@record()
class LackingParam(Record):
    """The parameters that a policy lacks. to: the object, None if the binding was not read. binding: its
    name.
    """

    binding: str
    to: Ref | None


def find_lacking_param(said: Denial, within: str | None, snap: Facts) -> LackingParam | None:
    """Return the parameters that the policy's own message reports missing; None for another reason of denial.
    within: the written object's Namespace.
    """
    if _LACKS not in said.why:
        return None
    items = (
        p for f in snap.every(AdmissionPolicies) for i in f.items if i.ref.name == said.name for p in i.params
    )
    to = next((p.to for p in items if p.binding == said.binding), None)
    if to is not None and to.within is None and within:
        to = Ref(to.kind, within, to.name)
    return LackingParam(said.binding, to)


def describe_lack(lack: LackingParam, snap: Facts) -> Text:
    """Return `: it has no parameters, as ConfigMap a/b, which binding c names, does not exist`."""
    if lack.to is None:
        return say(
            ": it has no parameters, as what the paramRef of binding {binding} names is not there",
            binding=lack.binding,
        )
    there = any(f.exists for f in snap.of(Presence, lack.to))
    to, binding = who(lack.to), lack.binding
    if there:
        return say(
            ": it had no parameters; {to}, which the paramRef of binding {binding} names, exists by now",
            to=to,
            binding=binding,
        )
    return say(
        ": it has no parameters, as {to}, which the paramRef of binding {binding} names, is not there",
        to=to,
        binding=binding,
    )


def restore_param(lack: LackingParam, snap: Facts, verify: Text) -> tuple[Step, ...]:
    """Return the step that restores the policy's parameters: changing the denied object would not help."""
    binding = Ref("ValidatingAdmissionPolicyBinding", None, lack.binding)
    look = Step(
        say("see what the binding names"),
        command=command("kubectl get {binding} -o yaml", binding=given.of(binding)),
    )
    if lack.to is None:
        return (
            look,
            Step(say("create what its paramRef names, or correct that"), where="source", verify=verify),
        )
    near = find_near_names(lack.to.name or "", snap, lack.to.kind, lack.to.within)
    says = say(
        "create {to}, or correct the paramRef of binding {binding}", to=who(lack.to), binding=lack.binding
    )
    return (
        Step(says + say("; {near} exists", near=near[0]) if near else says, where="source", verify=verify),
        look,
    )


def asks_for(lack: LackingParam | None) -> tuple[Want, ...]:
    """Return the questions about the existence of the parameters, and about the objects that exist
    instead.
    """
    if lack is None or lack.to is None:
        return ()
    return (Want(Presence, lack.to), Want(Names, Ref(lack.to.kind + "List", lack.to.within)))
