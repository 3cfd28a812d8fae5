"""Parts shared by the causes of this family: the Pod needs an object or one of its keys, and the server
reports it missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from unstuck.causes._copies import find_copier
from unstuck.causes._listed import tell_listed
from unstuck.causes.config._published import make_published_finding
from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.sign import Sign, accept_hearsay, any_of, hearsay, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Names, Presence
from unstuck.facts.aspects.pod import Need, Needs
from unstuck.facts.aspects.references import Makers, Namesakes
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.listed import find_listed, pick_alike
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.stages import StageId
from unstuck.knowledge.names import find_rule
from unstuck.knowledge.published import find_published

say = Messages(__name__)

MANY = 12
_SHOWN = 3
# An init container fails on its environment before `init-done`, a volume before the sandbox, any other
# environment at the container.
STAGES: tuple[StageId, ...] = ("devices-and-volumes-prepared", "init-done", "containers-created")
RETRIES = say("the kubelet retries automatically within about 2 min")


def make_missing_object_signs(pod: Ref, snap: Facts, kind: str) -> Signs:
    """Return the signs for objects of one kind that the Pod needs (not optionally) and that do not exist."""
    named = hearsay(
        snap,
        Failure,
        pod,
        lambda f: [f.object] if _is_missing(f, kind) and f.object and not _is_in_list(f.object, snap) else [],
    )
    uses = accept_hearsay(
        find_required_objects(pod, snap, lambda n: [n.object] if n.object.kind == kind else []), named
    )
    asked = unique(Ref(kind, r.within or pod.within, r.name) for r in (*named.hits, *uses.hits))[:MANY]
    gone: Sign[Ref] = any_of([is_absent(snap, r) for r in asked]) if asked else Sign(None)

    def finding() -> Finding:
        return _make_finding(pod, (*gone.hits, *named.hits)[0], snap)

    return Signs(
        applies=uses,
        decisive={f"the server has no such {kind}": gone},
        supporting={f"a message names a {kind} that was not found": named},
        finding=finding,
    )


def find_required_objects(pod: Ref, snap: Facts, pick: Callable[[Need], Iterable[Ref]]) -> Sign[Ref]:
    """Find objects that the Pod's containers or volumes require; a pull secret is not required."""
    return some(
        snap,
        Needs,
        pod,
        lambda f: [r for n in f.items if not n.optional and n.by != "pull-secret" for r in pick(n)],
    )


def _is_missing(f: Failure, kind: str) -> bool:
    return f.error == "not-found" and f.object is not None and f.object.kind == kind


def _is_in_list(ref: Ref, snap: Facts) -> bool:
    """Tell whether a list that names no Namespace has an object of this name: it may be this one, despite the
    kubelet's cache.
    """
    return any(f.exists for f in snap.of(Presence, Ref(ref.kind, None, ref.name)))


def is_absent(snap: Facts, ref: Ref) -> Sign[Ref]:
    """Tell whether the object is missing: by the answer to a GET of it, or by a whole list of its kind in
    its Namespace.
    """
    got = some(snap, Presence, ref, lambda f: [] if f.exists else [ref])
    if got.value is not None:
        return got
    listed = some(
        snap,
        Names,
        Ref(ref.kind + "List", ref.within),
        lambda f: [ref] if f.whole and ref.name not in f.names else [],
    )
    return listed if listed.value is not None else got


def find_namesakes(ref: Ref, snap: Facts) -> tuple[str, ...]:
    """Return the other Namespaces that have an object of this kind and name, as far as any was seen."""
    there = [
        f.about
        for f in snap.every(Presence)
        if f.exists and f.about.kind == ref.kind and f.about.name == ref.name
    ]
    alike = (r for f in snap.of(Namesakes, ref) for r in f.refs)
    return unique(
        found.within for found in (*there, *alike) if found.within and ref.within not in (None, found.within)
    )[:_SHOWN]


def find_near_names(name: str, snap: Facts, kind: str, namespace: str | None) -> tuple[str, ...]:
    """Return existing objects whose names resemble this one."""
    return pick_alike(name, find_listed(kind, namespace, snap))


def _make_finding(pod: Ref, ref: Ref, snap: Facts) -> Finding:
    missing = Ref(ref.kind, ref.within or pod.within, ref.name or "?")
    kind, name, namespace = missing.kind, missing.name or "?", missing.within
    place = say(" in Namespace {namespace}", namespace=namespace) if namespace else NO_TEXT
    says = say("{kind} {name} does not exist{place}", kind=kind, name=name, place=place)
    if maker := find_published(kind, name):
        return make_published_finding(pod, missing, maker, says, snap)
    near, elsewhere = find_near_names(name, snap, kind, namespace), find_namesakes(missing, snap)
    either = NO_TEXT
    if elsewhere:
        says += say("; one of that name is in Namespace {other}", other=list_names(elsewhere))
        either = say(", or create the Pod in its Namespace; a Pod cannot read one in another Namespace")
    elif near:
        says += say("; {near} exists", near=near[0])
        either = say(", or use {near} in the Pod's template", near=near[0])
    else:
        says += tell_listed(kind, name, namespace, snap)
    makers = [r for f in snap.of(Makers, missing) for r in f.refs]
    copied = find_copier(missing, snap, RETRIES)
    create = Step(_describe_creation(kind, name) + either, where="source", risk="none", verify=RETRIES)
    empty = DoNot(
        say("create an empty {kind} as a workaround", kind=kind),
        say("the app would start with an empty, unintended config"),
    )
    return Finding(
        says + copied.says,
        culprit=missing,
        blocks=(pod,),
        notes=tuple(say("{maker} should create it", maker=who(r)) for r in makers),
        help=(_ask_maker(makers[0]),) if makers else copied.help or (create,),
        do_not=(empty,),
        enrich=(
            *(() if near else (Want(Names, Ref(kind + "List", namespace)),)),
            *_ask_for_writers(missing, snap),
            *copied.wants,
        ),
    )


def _ask_maker(maker: Ref) -> Step:
    return Step(
        say("see why {maker} has not had it written, and fix that", maker=who(maker)),
        command=ask_why(maker),
        verify=RETRIES,
    )


def _ask_for_writers(missing: Ref, snap: Facts) -> tuple[Want, ...]:
    """Return the questions about the object's intended writer, asked for a Secret only (a ConfigMap is
    usually written by a person), and about copies from another Namespace.
    """
    if not missing.within or not find_rule(missing.kind).allows(missing.name or ""):
        return ()
    asked = (Want(Makers, missing),) if missing.kind == "Secret" else ()
    return (*asked, *(() if snap.of(Namesakes, missing) else (Want(Namesakes, missing),)))


def _describe_creation(kind: str, name: str) -> Text:
    """Return the creation of the object, or the correction of the name: a Pod may refer to a name that no
    object can have.
    """
    if find_rule(kind).allows(name):
        return say("create {kind} {name}", kind=kind, name=name)
    return say(
        'correct the name in the Pod\'s template: no {kind} can be called "{name}"', kind=kind, name=name
    )
