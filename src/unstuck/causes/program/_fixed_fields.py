"""The immutable fields, by kind and path: how to recreate the object, with the losses and the parts that
survive.
"""

from __future__ import annotations

import re

from unstuck.causes.program._plain import look_at_object, mend
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Step
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.knowledge.kind_words import CLUSTER_SCOPED, KIND_WORDS

say = Messages(__name__)

# apimachinery pkg/api/validation (FieldImmutableErrorMsg), pkg/apis/apps, core, rbac and storage validation.
_WORDS = (
    "field is immutable",
    "updates to statefulset spec",
    "may not be changed",
    "is immutable after creation",
    "cannot change roleRef",
    "updates to parameters are forbidden",
    "updates to provisioner are forbidden",
    "pod updates may not change fields",
)
_SELECTED = ("Deployment", "DaemonSet", "ReplicaSet", "StatefulSet")
_ADDRESS = regex(r"spec\.(?:clusterIPs?|ipFamil\w+|healthCheckNodePort)")
# Helm 3 pkg/kube/client.go (updateResource): --force puts the whole object where else it patches; kubectl
# replace does so too.
_PUT = regex(r"\bfailed to replace object\b|\berror when replacing\b")
# A manifest without the field requests this if it replaces the whole object.
_EMPTY = 'Invalid value: "":'
_GONE_WITH_IT = DoNot(
    say("delete it just to get the change accepted, before you know what is deleted with it"),
    say("its Pods go too, and of a StatefulSet or a claim perhaps the data"),
)
_CLAIM = DoNot(
    say("delete the claim to make it again"), say("with the reclaim policy Delete its data go with it")
)
_AGAIN = say("the manifest is accepted")


@record()
class FixedField(Record):
    """The advice about an immutable field. why: of the attempted change, after the sentence; None: no reason.
    steps: the ways around it.
    """

    why: Text | None
    steps: tuple[Step, ...]
    do_not: tuple[DoNot, ...] = (_GONE_WITH_IT,)


def is_fixed(said: Complaint) -> bool:
    """Tell whether the server refuses to change a field of an existing object."""
    return any(word in said.reason or word in said.line for word in _WORDS)


def explain_fixed_field(said: Complaint) -> FixedField:
    """Explain a refused change of this field, with the way around it."""
    look = look_at_object(said, say("compare these fields of the object in the cluster with the manifest"))
    kind = said.resource.partition(".")[0]
    if (_PUT.search(said.line) or said.reason.startswith(_EMPTY)) and _ADDRESS.match(said.path):
        return FixedField(
            say(
                ": the object is replaced as a whole (helm --force, kubectl replace), and what the server "
                "filled in is not in the manifest"
            ),
            (
                mend(
                    say(
                        "upgrade without --force, so that the object is patched; kubectl apply in place of "
                        "kubectl replace"
                    )
                ),
                *look,
            ),
            (),
        )
    if kind == "StatefulSet" and said.path == "spec":
        return FixedField(
            say(
                ": mostly volumeClaimTemplates (size, class, labels), else serviceName, "
                "selector or podManagementPolicy"
            ),
            (
                *look,
                _orphan(said),
                mend(say("or restore the old value; request a larger size in the PVCs themselves")),
            ),
        )
    if kind in _SELECTED and said.path.startswith("spec.selector"):
        return FixedField(
            say(
                ": the manifest selects other labels than the existing object, for example after a chart "
                "changed them"
            ),
            (
                *look,
                mend(say("keep the old labels in the selector and the template")),
                _recreate(
                    said, say("or delete the object and apply again: its Pods end, and new ones start")
                ),
            ),
        )
    if kind == "Job":
        return FixedField(
            say(": a Job's template and selector cannot be changed"),
            (
                *look,
                _recreate(said, say("delete the Job and apply again: this ends a run in progress")),
                mend(
                    say(
                        "or give each run a unique name; in Helm use hook-delete-policy "
                        "before-hook-creation, in Argo CD Replace=true with Force=true"
                    )
                ),
            ),
            (),
        )
    if kind in ("RoleBinding", "ClusterRoleBinding"):
        return FixedField(
            say(": the role of a binding cannot be changed"),
            (
                *look,
                _recreate(
                    said, say("delete the binding and apply again: until then its subjects lack these rights")
                ),
            ),
            (),
        )
    if kind == "PersistentVolumeClaim":
        return FixedField(
            say(": in a PVC, only the requested size may grow"),
            (
                *look,
                mend(say("restore the old values, or create a PVC with another name and move the data")),
            ),
            (_CLAIM,),
        )
    if kind == "StorageClass":
        return FixedField(
            say(": existing volumes do not follow changes of a class"),
            (
                *look,
                _recreate(
                    said,
                    say(
                        "create a class with another name, or delete this one and apply again: volumes and"
                        " PVCs stay as they are"
                    ),
                ),
            ),
            (),
        )
    if kind == "Service" and _ADDRESS.match(said.path):
        return FixedField(
            say(": a Service keeps its addresses, and cannot become headless or stop being headless"),
            (
                *look,
                mend(say("remove the address from the manifest, or set it to the current one")),
                _recreate(
                    said,
                    say(
                        "or delete the Service and apply again: it gets another address, and clients lose "
                        "the old one"
                    ),
                ),
            ),
            (),
        )
    if kind == "Pod":
        return FixedField(
            say(": in a running Pod, hardly more than the image may change"),
            (
                *look,
                mend(
                    say(
                        "change the template of the workload that owns it; delete a Pod without an owner, "
                        "and create it again"
                    )
                ),
            ),
            (),
        )
    step = mend(say("restore the old value, or create the object under another name and switch to it"))
    return FixedField(None, (*look, step))


def _target(said: Complaint) -> Ref:
    kind = said.resource.partition(".")[0]
    scoped = KIND_WORDS.get(kind.lower(), kind) in CLUSTER_SCOPED
    return Ref(kind, None if scoped else said.namespace or "NAMESPACE", said.name or None)


def _recreate(said: Complaint, says: Text) -> Step:
    ref = _target(said)
    done = command("kubectl delete {what} {space}", what=given.of(ref), space=given.space(ref))
    return Step(says, command=done, risk="disrupts", verify=_AGAIN)


def _orphan(said: Complaint) -> Step:
    ref = _target(said)
    return Step(
        say(
            "delete only the StatefulSet and apply again: its Pods and PVCs stay, a Pod that ends "
            "meanwhile is not replaced, and the new StatefulSet adopts them"
        ),
        command=command(
            "kubectl delete {what} {space} --cascade=orphan", what=given.of(ref), space=given.space(ref)
        ),
        risk="disrupts",
        verify=_AGAIN,
    )


def extract_reason(text: str) -> str:
    """Return the server's own message at the end of a reason: after the value, regardless of its content."""
    found = _BEHIND.search(text)
    return found["why"] if found else text


_BEHIND: re.Pattern[str] = regex(r"^Invalid value: .*[\"}\])\w]: (?P<why>[a-zA-Z][^{}\[\]\"]{3,200})$")
