"""Finds the objects that decide about a stopped object: objects named in its annotations, objects that target
it, and CronJobs whose command names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.collect.kube.questions.objects import item_facts, kind_named, object_facts, read_object
from unstuck.collect.kube.questions.resources import kind_of_ref, resources
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, find_kind, ref_of
from unstuck.collect.objects.pointing import find_pointed, find_replicas, names_object
from unstuck.facts.aspects.deciders import Decider, Deciders
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.regex import regex

# Types beyond these are left out, and the answer is then not whole.
_TYPES, _PAGES, _MOST = 6, 1, 5
# Names of scaling types (keda ScaledObject, kube-green SleepInfo, flagger Canary); a vertical autoscaler sets
# no replicas.
_SCALING = regex(
    r"(?i)^(?!vertical).*(?:scale[drs]|autoscal|schedule|hibernat|sleep|downtime|wakeup|uptime|canary)"
)
_TARGET = ("targetRef", "TargetRef")
_DEEPEST = 3


def list_deciders(session: Session, want: Want) -> list[Fact]:
    """Return the objects that decide about it, with their facts."""
    about = want.about
    kind = kind_of_ref(session, about.kind)
    if kind is None or not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    own = session.object(kind, about)
    if not own.reply.ok:
        return read_object(session, own, about, want)
    if about.kind == "PersistentVolumeClaim":
        return _list_templates(session, want)
    found = resources(session)
    pointed = [
        Decider(ref, field)
        for field, ref in find_pointed(
            own.reply.doc, about.within, lambda word: find_kind(word) or found.by_word(word)
        )
        if ref != _bare(about)
    ][:_MOST]
    types = [
        k
        for k in found.kinds
        if "." in k.ref_kind and k.namespaced and "list" in k.verbs and _SCALING.match(k.name) and k != kind
    ]
    kinds = [kind_named("HorizontalPodAutoscaler"), kind_named("CronJob"), *types[:_TYPES]]
    lists = run_each(lambda k: session.listing(k, about.within, most=_PAGES), kinds)
    listed = [
        (k, i, one.read, d)
        for k, one in zip(kinds, lists, strict=True)
        for i in one.items
        if (d := _decide(k, kind, i, about))
    ]
    items = _merge([d for _, _, _, d in listed], pointed)
    whole = len(types) <= _TYPES and all(one.whole and one.read.reply.ok for one in lists)
    quote = "; ".join(f"{d.ref}: {d.field}" for d in items) or f"nobody in {len(kinds)} types"
    told = Deciders(about=about, src=own.src(quote), items=items, whole=whole)
    mine = [f for k, i, read, _ in listed for f in item_facts(k, i, read)]
    return [told, *mine, *(f for d in pointed for f in object_facts(session, Want(Deciders, d.ref)))]


def _merge(listed: list[Decider], pointed: list[Decider]) -> tuple[Decider, ...]:
    """Return each decider once, in a fixed order: with the replicas from the command, and the field from the
    annotation.
    """
    found = {_bare(d.ref): d for d in listed}
    for one in pointed:
        same = found.get(_bare(one.ref))
        found[_bare(one.ref)] = Decider(same.ref, one.field, same.replicas) if same else one
    return tuple(found[ref] for ref in sorted(found, key=lambda r: r.key))


def _bare(ref: Ref) -> Ref:
    return Ref(ref.kind, ref.within, ref.name)


def _decide(kind: Kind, of: Kind, item: doc.Doc, about: Ref) -> Decider | None:
    """Return an object as the decider about another one; None if it does not name that one, or has an owner
    of its own.
    """
    ref = ref_of(item)
    if ref is None or doc.rows(item, "metadata", "ownerReferences"):
        return None
    if kind.name == "CronJob":
        text = " ".join(_list_commands(item))
        names = names_object(text, (of.plural, of.name, *of.short), about.name or "")
        return Decider(ref, "spec.jobTemplate", find_replicas(text)) if names else None
    field = next(_find_targets(item.get("spec"), "spec", of, about, 0), "")
    return Decider(ref, field) if field else None


def _list_commands(item: doc.Doc) -> Iterator[str]:
    for container in doc.rows(item, "spec", "jobTemplate", "spec", "template", "spec", "containers"):
        yield from (*doc.strings(container, "command"), *doc.strings(container, "args"))


def _find_targets(value: object, field: str, of: Kind, about: Ref, depth: int) -> Iterator[str]:
    """Yield the fields that refer to the object; a reference without a kind means a scalable workload."""
    if depth > _DEEPEST or not isinstance(value, Mapping):
        return
    for key, inner in value.items():
        if not isinstance(key, str) or not isinstance(inner, Mapping):
            continue
        named = doc.text(inner, "kind")
        if key.endswith(_TARGET) and doc.text(inner, "name") == about.name and named in ("", of.name):
            yield f"{field}.{key}"
        else:
            yield from _find_targets(inner, f"{field}.{key}", of, about, depth + 1)


def _list_templates(session: Session, want: Want) -> list[Fact]:
    """Return the StatefulSet whose claim template a claim was made by: its name is TEMPLATE-SET-ORDINAL."""
    about, kind = want.about, kind_named("StatefulSet")
    found = session.listing(kind, about.within, most=_PAGES)
    mine = [(i, template) for i in found.items if (template := _find_template(i, about.name or ""))]
    items = tuple(
        Decider(r, f"spec.volumeClaimTemplates[{template}]") for i, template in mine if (r := ref_of(i))
    )
    quote = "; ".join(f"{d.ref}: {d.field}" for d in items) or "no StatefulSet has a template of it"
    told = Deciders(
        about=about, src=found.read.src(quote), items=items, whole=found.whole and found.read.reply.ok
    )
    return [told, *(f for i, _ in mine for f in item_facts(kind, i, found.read))]


def _find_template(item: doc.Doc, claim: str) -> str:
    set_ = doc.text(item, "metadata", "name")
    for row in doc.rows(item, "spec", "volumeClaimTemplates"):
        template = doc.text(row, "metadata", "name")
        if (
            template
            and claim.startswith(f"{template}-{set_}-")
            and claim.removeprefix(f"{template}-{set_}-").isdecimal()
        ):
            return template
    return ""
