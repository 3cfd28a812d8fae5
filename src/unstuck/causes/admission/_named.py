"""What the causes have in common whose Pods name an object that is not there, so that they are refused."""

from __future__ import annotations

from difflib import get_close_matches

from unstuck.causes.admission._creation import READS, RETRIES, finding, refused_pods, signs
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts

NAMED: frozenset[type[Fact]] = READS | {Presence, Names}


def named_missing(subject: Ref, snap: Facts, kind: str, do_not: DoNot, note: Text | None = None) -> Signs:
    """Return the signs for objects of one kind that the Pods name and the server does not have. do_not: what tempts here."""
    said = refused_pods(subject, snap, "not-found", kind)
    asked = tuple(dict.fromkeys(f.object for f in said.hits if f.object))
    gone: Sign[Ref] = any_of([_gone(r, snap) for r in asked]) if asked else Sign(None)
    return signs(
        subject,
        snap,
        said,
        {f"the server has no such {kind}": gone},
        lambda: _finding(subject, snap, (*gone.hits, *asked)[0], do_not, note),
    )


def _gone(ref: Ref, snap: Facts) -> Sign[Ref]:
    return some(snap, Presence, ref, lambda f: [] if f.exists else [ref])


def _finding(subject: Ref, snap: Facts, ref: Ref, do_not: DoNot, note: Text | None) -> Finding:
    listed = Ref(f"{ref.kind}List", ref.within)
    names = sorted({n for f in snap.of(Names, listed) for n in f.names} - {ref.name or ""})
    near = get_close_matches(ref.name or "", names, 1, 0.75)
    place, place_zh = (f" in Namespace {ref.within}", f"（Namespace {ref.within}）") if ref.within else ("", "")
    either = Text(f", or use {near[0]} in the template", f"，或在模板中改用 {near[0]}") if near else Text("", "")
    there = (Text(f"did you mean {near[0]}? That {ref.kind} exists", f"是否应为 {near[0]}？该 {ref.kind} 存在"),) if near else ()
    told = finding(
        subject,
        snap,
        Text(
            f"{ref.kind} {ref.name} does not exist{place}, so Pods that reference it are rejected",
            f"{ref.kind} {ref.name} 不存在{place_zh}，引用它的 Pod 被拒绝",
        ),
        ref,
        notes=(*there, *((note,) if note else ())),
        help=(Step(Text(f"create {ref.kind} {ref.name}", f"创建 {ref.kind} {ref.name}") + either, where="source", verify=RETRIES),),
        do_not=(do_not,),
    )
    return Finding(
        told.says,
        told.culprit,
        told.blocks,
        told.notes,
        told.help,
        told.do_not,
        enrich=() if snap.of(Names, listed) else (Want(Names, listed),),
    )
