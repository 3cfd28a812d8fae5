"""Shared parts of the causes of a refused write: the kubelet's writes that a Pod's end needs, and the names
in their refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, hearsay, some, symptom
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.admission import AdmissionPolicies, AdmissionPolicy, Webhook, Webhooks
from unstuck.facts.aspects.host import LogSeen, PodCgroup
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.refusals import Refusal, Refusals
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation, RefusalWord
from unstuck.stages.pod_deletion import find_failed_writes

say = Messages(__name__)

# The kubelet's last requests for a Pod (pkg/kubelet/status/status_manager.go, syncPod): PATCH pods/status,
# then DELETE.
WRITES: dict[Operation, tuple[str, str]] = {
    "status-update": ("pods/status", "UPDATE"),
    "status-delete": ("pods", "DELETE"),
}
CLUSTER = Ref("Cluster")
# The configuration that holds a webhook, if it was not read.
CONFIGURATIONS = command(
    "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations "
    "-o 'custom-columns=KIND:.kind,NAME:.metadata.name,WEBHOOKS:.webhooks[*].name'"
)
T = TypeVar("T")
# net/http and context of Go.
_SILENCE = ("context deadline exceeded", "Client.Timeout exceeded", "i/o timeout")

# staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go,
# plugin/policy/validating/dispatcher.go
_DENIED = (
    (
        "Webhook",
        regex(r'admission webhook "(?P<name>[^"]{1,253})" denied the request(?:: (?P<why>[^,]{1,200}))?'),
    ),
    (
        "ValidatingAdmissionPolicy",
        regex(
            r"(?:(?P<resource>[a-z0-9.-]{1,253}) \"[^\"]{0,253}\" is forbidden: )?ValidatingAdmissionPolicy "
            r"'(?P<name>[^']{1,253})' "
            r"with binding '(?P<binding>[^']{1,253})' denied request(?:: (?P<why>[^,]{1,200}))?"
        ),
    ),
)


@record()
class Denial(Record):
    """The component that denied a write, by the server's own message. kind: `Webhook` or
    `ValidatingAdmissionPolicy`.

    binding: of a policy. resource: the written type (`secrets`). "" if unknown.
    """

    kind: str
    name: str
    why: str = ""
    binding: str = ""
    resource: str = ""


def read_denials(message: str) -> tuple[Denial, ...]:
    """Return the denials that a condition's message quotes."""
    found = ((kind, m.groupdict("")) for kind, form in _DENIED for m in form.finditer(message))
    return tuple(
        Denial(kind, m["name"], m["why"].strip(), m.get("binding", ""), m.get("resource", ""))
        for kind, m in found
    )


def writes(subject: Ref) -> tuple[tuple[str, str, str], ...]:
    """Return group, resource and operation of the writes that would finish the subject's deletion, if its
    kind shows them.
    """
    if subject.kind == "Pod":
        return tuple(("", resource, operation) for resource, operation in WRITES.values())
    if subject.kind == "Namespace":
        return ()
    kind, _, group = subject.kind.partition(".")
    return ((group, guess_plural(kind), "UPDATE"),)


def guess_plural(kind: str) -> str:
    """Return a kind's resource, as `UnsafeGuessKindToResource` in
    staging/src/k8s.io/apimachinery/pkg/api/meta/restmapper.go guesses it.
    """
    name = kind.lower()
    if name.endswith(("s", "x", "ch", "sh")):
        return name + "es"
    return name[:-1] + "ies" if name.endswith("y") else name + "s"


def write_refusals(subject: Ref, snap: Facts, *errors: ErrorWord) -> Sign[Failure]:
    """Find the kubelet's own lines that such a write of this Pod was refused for one of these errors;
    otherwise ask for its log.
    """
    said = find_failed_writes(subject, snap, lambda f: f.operation in WRITES and f.error in errors)
    node = find_node_of_pod(subject, snap)
    return said if said.value or node is None else Sign(None, wants=(Want(LogSeen, node),))


def describe_write(failure: Failure) -> Text:
    """Return the missing write."""
    if failure.operation == "status-delete":
        return say("the kubelet's final DELETE of the Pod")
    return say("the kubelet's status of the Pod")


def write_signs(
    denier: Ref, snap: Facts, error: RefusalWord, told: str, finding: Callable[[str], Finding]
) -> Signs:
    """Return the signs about a webhook or policy for a text that shows only the refusal of a user's write.

    told: the sign's name. finding: from the server's reason.
    """
    said = find_refusals_by(denier, snap, error)
    # A webhook that does not answer in time may be slow, or out of reach.
    supporting = symptom(said) if said.hits and all(is_silence(r.why) for r in said.hits) else said
    return Signs(decisive={}, supporting={told: supporting}, finding=lambda: finding(said.hits[0].why))


def is_silence(why: str) -> bool:
    """Tell whether the server's message is only a time-out."""
    return any(words in why for words in _SILENCE)


def find_refusals_by(denier: Ref, snap: Facts, error: RefusalWord) -> Sign[Refusal]:
    """Find writes of any object that this webhook or policy refused, according to a text."""
    return hearsay(snap, Refusals, denier, lambda f: [r for r in f.items if r.error == error])


def ask_in_turn(sign: Sign[T], said: Sign[Failure], pod: Ref, snap: Facts) -> Sign[T]:
    """Return the same sign, but ask the server for guards of a write only once a refusal is in question: the
    kubelet's log reported one, the node showed that only the final DELETE is left, or the log is unavailable.

    Then only the server can rule guards out, which closes two causes. Until then ask for the log, so that an
    answer from the node costs no list of configurations.
    """
    node = find_node_of_pod(pod, snap)
    unheard = node is not None and snap.refused(Want(LogSeen, node)) is not None
    left = [f for f in snap.of(PodCgroup, pod) if f.whole]
    if sign.value is not None or said.value or unheard or (left and not any(f.paths for f in left)):
        return sign
    return sign._replace(wants=said.wants)


def find_reviewer(kind: str, name: str, operation: str, snap: Facts) -> Sign[Ref]:
    """Find the policy, or the configuration of the webhook, of this name that is asked about such an
    operation; no if there is none.
    """

    def is_asked(one: Webhook | AdmissionPolicy) -> bool:
        return any(operation in r.operations or "*" in r.operations for r in one.rules)

    if kind == "Webhook":
        return some(
            snap,
            Webhooks,
            CLUSTER,
            lambda f: [h.configuration for h in f.items if h.name == name and is_asked(h)],
        )
    return some(
        snap,
        AdmissionPolicies,
        CLUSTER,
        lambda f: [p.ref for p in f.items if p.ref.name == name and is_asked(p)],
    )


def narrow_scope(denier: Ref) -> Step:
    """Return the step that ends its unwanted refusals."""
    kind = denier.kind.partition(".")[0].lower()
    if denier.kind == "Webhook":
        return Step(
            say(
                "or find the configuration that defines it, and narrow its rules, selectors or conditions so "
                "that it skips this request; such writes are then no longer checked: its checks end there"
            ),
            command=CONFIGURATIONS,
            risk="disrupts",
        )
    return Step(
        say(
            "or narrow its rules, selectors or conditions so that it skips this request; its check of such "
            "writes ends"
        ),
        where="source",
        command=command("kubectl edit {object}", object=given.obj(kind, denier.name)),
        risk="disrupts",
    )
