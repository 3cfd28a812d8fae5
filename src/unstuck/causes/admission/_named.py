"""Shared by the causes of Pods that are refused because they name an object that does not exist."""

from __future__ import annotations

from difflib import get_close_matches

from unstuck.causes.admission._creation import READS, RETRIES, find_pod_refusals, make_finding, make_signs
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Names, Presence
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

NAMED: frozenset[type[Fact]] = READS | {Presence, Names}


def make_missing_object_signs(
    subject: Ref, snap: Facts, kind: str, do_not: DoNot, note: Text | None = None
) -> Signs:
    """Return the signs for objects of one kind that the Pods name and the server does not have. do_not:
    tempting acts.
    """
    said = find_pod_refusals(subject, snap, "not-found", kind)
    asked = tuple(dict.fromkeys(f.object for f in said.hits if f.object))
    gone: Sign[Ref] = any_of([_is_absent(r, snap) for r in asked]) if asked else Sign(None)
    return make_signs(
        subject,
        snap,
        said,
        {f"the server has no such {kind}": gone},
        lambda: _make_finding(subject, snap, (*gone.hits, *asked)[0], do_not, note),
    )


def _is_absent(ref: Ref, snap: Facts) -> Sign[Ref]:
    return some(snap, Presence, ref, lambda f: [] if f.exists else [ref])


def _make_finding(subject: Ref, snap: Facts, ref: Ref, do_not: DoNot, note: Text | None) -> Finding:
    listed = Ref(f"{ref.kind}List", ref.within)
    names = sorted({n for f in snap.of(Names, listed) for n in f.names} - {ref.name or ""})
    near = get_close_matches(ref.name or "", names, 1, 0.75)
    place = say(" in Namespace {within}", within=ref.within) if ref.within else NO_TEXT
    either = say(", or use {near} in the template", near=near[0]) if near else NO_TEXT
    there = (say("did you mean {near}? That {kind} exists", near=near[0], kind=ref.kind),) if near else ()
    told = make_finding(
        subject,
        snap,
        say(
            "{kind} {ref} does not exist{place}, so Pods that reference it are rejected",
            kind=ref.kind,
            ref=ref.name,
            place=place,
        ),
        ref,
        notes=(*there, *((note,) if note else ())),
        help=(
            Step(
                say("create {kind} {ref}", kind=ref.kind, ref=ref.name) + either,
                where="source",
                verify=RETRIES,
            ),
        ),
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
