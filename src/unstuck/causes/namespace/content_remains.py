"""Objects in the Namespace are still there

## How it happens

All content of the Namespace was deleted, but an object has a finalizer that no controller clears, or its
deletion is refused. Custom resources whose operator was removed first, or went with the same Namespace, are
the usual case.

## How to tell

List every resource type that can be listed in the Namespace. The conditions NamespaceFinalizersRemaining and
NamespaceContentRemaining name the finalizers and the types; they are the controller's own count and may be
some minutes old.

## Known limits

While a Pod remains, other content is a consequence and not asked here. From the conditions alone it is
likely; the objects themselves prove it. Why the finalizer is not cleared is a cause of the object.

## References

- pkg/controller/namespace/deletion/namespaced_resources_deleter.go; field notes; kubernetes/kubernetes issue
  60807
"""

from __future__ import annotations

from collections.abc import Iterable

from unstuck.causes._contents import count_left
from unstuck.causes.namespace.pods_remain import NAMESPACE_AFTER
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Content, Contents, Discovery
from unstuck.facts.aspects.objects import Below, Condition, Conditions, Deletion
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.knowledge.finalizers import find_known
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_SAY = ("NamespaceFinalizersRemaining", "NamespaceContentRemaining")
# pkg/controller/namespace/deletion/status_condition_utils.go; of the core group a dot ends the type (`pods.
# has 1 resource instances`).
_TYPE = regex(r"(?<![a-z0-9.-])([a-z0-9][a-z0-9.-]{0,252}?)\.? has \d{1,9} resource instances")
_FINALIZER = regex(r"(?:remaining: |, )([^\s,:]{1,317}) in \d{1,9} resource instances")


def _rule(ns: Ref, snap: Facts) -> Signs:
    def of(held: bool) -> Iterable[Content]:
        return (
            i
            for f in snap.of(Contents, ns)
            for i in f.items
            if i.kind != "Pod" and i.count and bool(i.held) is held
        )

    left = some(snap, Contents, ns, lambda f: [i for i in f.items if i.kind != "Pod" and i.count])
    said = hearsay(
        snap, Conditions, ns, lambda f: [c for c in f.items if c.type in _SAY and c.status == "True"]
    )

    def finding() -> Finding:
        return _make_finding(ns, (*of(True), *of(False)), said.hits)

    due = is_overdue(ns, snap, NAMESPACE_AFTER)
    # Without the time of deletion, a bare count may include objects still being deleted; a finalizer that
    # holds one does not.
    timed = any(f.due is not None for f in due.hits) or any(_FINALIZER.search(c.message) for c in said.hits)
    return Signs(
        necessary={"the deletion should be through": due},
        decisive={"it still contains objects": left},
        supporting={"the namespace controller says so": said if timed else Sign(None, said.hits, said.seen)},
        finding=finding,
    )


def _make_finding(ns: Ref, content: tuple[Content, ...], said: tuple[Condition, ...]) -> Finding:
    notes: tuple[Text, ...] = ()
    finalizers: tuple[str, ...] = ()
    look = NO_COMMAND
    space = given.namespace(ns.name)
    if content:
        first = content[0]
        what, why, culprit = _choose_first(first, ns)
        total = sum(i.count for i in content)
        more = say(" and {total} more objects", total=total - 1) if total > 1 else NO_TEXT
        says = say(
            "{what}{more} {total:remains|remain} in Namespace {namespace}{why}",
            what=what,
            more=more,
            total=total,
            namespace=ns.name,
            why=why,
        )
        notes = tuple(map(count_left, content[:5]))
        look = command("kubectl get {type} {space} -o yaml", type=given.resource(first.resource), space=space)
    else:
        message = min(said, key=lambda c: (not c.message, _SAY.index(c.type))).message
        culprit = Ref("Contents", ns.name)
        says = say("Content of {namespace} remains: {message}", namespace=who(ns), message=message)
        types = _TYPE.findall(" ".join(c.message for c in said))
        # Kubernetes' own controllers clear its own finalizers.
        finalizers = tuple(f for f in dict.fromkeys(_FINALIZER.findall(message)) if find_known(f) is None)
        if types:
            look = command(
                "kubectl get {types} {space} -o yaml", types=given.resources(types[:5]), space=space
            )
    return Finding(
        says,
        culprit=culprit,
        blocks=(ns,),
        notes=notes,
        help=(
            Step(
                say(
                    "find out what keeps these objects, and resolve it; the Namespace is "
                    "then deleted automatically"
                ),
                command=look,
                verify=say("the conditions turn False again within minutes"),
            ),
            *(_make_owner_step(f) for f in finalizers[:2]),
        ),
        do_not=(
            DoNot(
                say("clear the Namespace's spec.finalizers"),
                say(
                    "remaining objects would stay in etcd without a Namespace, and reappear with the next "
                    "one of that name"
                ),
            ),
        ),
    )


def _make_owner_step(finalizer: str) -> Step:
    return Step(
        say(
            "restore the controller that clears finalizer {finalizer}, usually the operator of that name, "
            "until its objects are gone; if it was deleted with this Namespace, install it in another one",
            finalizer=finalizer,
        ),
        where="source",
    )


def _choose_first(item: Content, ns: Ref) -> tuple[str, Text, Ref]:
    """Return the object of the main sentence, the reason why it is held, and its Ref."""
    if item.held:
        ref, finalizers = item.held[0]
        names = ", ".join(finalizers)
        return f"{item.resource} {ref.name}", say(", held by the finalizer {names}", names=names), ref
    ref = item.first[0] if item.first else Ref(item.kind, ns.name)
    return f"{item.resource} {ref.name}" if ref.name else item.resource, NO_TEXT, ref


CAUSE = Cause(
    id="namespace.content-remains",
    title=say("the Namespace still contains objects"),
    subjects=("Namespace",),
    stages=("content-deleted", "content-finalizers-cleared"),
    reads=frozenset({Contents, Conditions, Below, Discovery, Deletion}),
    rule=_rule,
)
