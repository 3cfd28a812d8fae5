"""What the causes of this family have in common: the Pod needs an object or a key of it, and the server says that it is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from unstuck.diagnosis.sign import Sign, any_of, heard, some, told, unique
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Names, Presence
from unstuck.facts.aspects.pod import Need, Needs
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.stages import StageId
from unstuck.knowledge.names import rule_of

MANY = 12
# An init container fails on its environment before `init-done`, a volume before the sandbox, any other environment at the container.
STAGES: tuple[StageId, ...] = ("devices-and-volumes-prepared", "init-done", "containers-created")
RETRIES = Text("the kubelet retries automatically within about 2 min", "kubelet 会在约 2 分钟内自动重试")


def missing_object(pod: Ref, snap: Facts, kind: str) -> Signs:
    """Return the signs for objects of one kind that the Pod needs (not optionally) and that do not exist."""
    named = heard(snap, Failure, pod, lambda f: [f.object] if _is_missing(f, kind) and f.object and not _listed(f.object, snap) else [])
    uses = told(needed(pod, snap, lambda n: [n.object] if n.object.kind == kind else []), named)
    asked = unique(Ref(kind, r.within or pod.within, r.name) for r in (*named.hits, *uses.hits))[:MANY]
    gone: Sign[Ref] = any_of([absent(snap, r) for r in asked]) if asked else Sign(None)

    def finding() -> Finding:
        return _finding(pod, (*gone.hits, *named.hits)[0], snap)

    return Signs(
        applies=uses,
        decisive={f"the server has no such {kind}": gone},
        supporting={f"a message names a {kind} that was not found": named},
        finding=finding,
    )


def needed(pod: Ref, snap: Facts, pick: Callable[[Need], Iterable[Ref]]) -> Sign[Ref]:
    """Find objects that the Pod's containers or volumes refer to and cannot do without; a pull secret is none of them."""
    return some(snap, Needs, pod, lambda f: [r for n in f.items if not n.optional and n.by != "pull-secret" for r in pick(n)])


def _is_missing(f: Failure, kind: str) -> bool:
    return f.error == "not-found" and f.object is not None and f.object.kind == kind


def _listed(ref: Ref, snap: Facts) -> bool:
    """Tell whether a list that names no Namespace has an object of this name: it may be this one, whatever the kubelet's cache said."""
    return any(f.exists for f in snap.of(Presence, Ref(ref.kind, None, ref.name)))


def absent(snap: Facts, ref: Ref) -> Sign[Ref]:
    """Tell whether the object is missing: by the answer to a GET of it, or by a whole list of its kind in its Namespace."""
    got = some(snap, Presence, ref, lambda f: [] if f.exists else [ref])
    if got.value is not None:
        return got
    listed = some(snap, Names, Ref(ref.kind + "List", ref.within), lambda f: [ref] if f.whole and ref.name not in f.names else [])
    return listed if listed.value is not None else got


def nearest(name: str, existing: Iterable[str]) -> tuple[str, ...]:
    """Return the existing names that look like this one, the nearest first, two at the most."""
    return tuple(get_close_matches(name, sorted(set(existing) - {name}), 2, 0.75))


def near_names(name: str, snap: Facts, kind: str, namespace: str | None) -> tuple[str, ...]:
    """Return existing objects whose names look like this one."""
    return nearest(name, (n for f in snap.of(Names, Ref(kind + "List", namespace)) for n in f.names))


def _finding(pod: Ref, ref: Ref, snap: Facts) -> Finding:
    name, namespace = ref.name or "?", ref.within or pod.within
    near = near_names(name, snap, ref.kind, namespace)
    place, place_zh = (f" in Namespace {namespace}", f"（Namespace {namespace}）") if namespace else ("", "")
    notes = (Text(f"did you mean {near[0]}? That {ref.kind} exists", f"是否应为 {near[0]}？该 {ref.kind} 存在"),) if near else ()
    either = Text(f", or use {near[0]} in the Pod's template", f"，或在 Pod 模板中改用 {near[0]}") if near else Text("", "")
    create = Step(_made(ref.kind, name) + either, where="source", risk="none", verify=RETRIES)
    empty = DoNot(
        Text(f"create an empty {ref.kind} as a workaround", f"创建空的 {ref.kind} 来绕过"),
        Text("the app would start with an empty, unintended config", "应用会以非预期的空配置启动"),
    )
    return Finding(
        Text(f"{ref.kind} {name} does not exist{place}", f"{ref.kind} {name} 不存在{place_zh}"),
        culprit=Ref(ref.kind, namespace, name),
        blocks=(pod,),
        notes=notes,
        help=(create,),
        do_not=(empty,),
        enrich=() if near else (Want(Names, Ref(ref.kind + "List", namespace)),),
    )


def _made(kind: str, name: str) -> Text:
    """Return what has to be created, or the correction of the name: a Pod may refer to a name that no object can have."""
    if rule_of(kind).allows(name):
        return Text(f"create {kind} {name}", f"创建 {kind} {name}")
    return Text(
        f'correct the name in the Pod\'s template: no {kind} can be called "{name}"',
        f"在 Pod 模板中更正名称：不可能有名为“{name}”的 {kind}",
    )
