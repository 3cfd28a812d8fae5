"""Removes known troubles from an answer and counts them by reason. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from unstuck.api.report import Report
from unstuck.api.settings import KnownTrouble, Settings
from unstuck.collect.objects.kinds import find_kind
from unstuck.diagnosis.answer import CauseMatch, Diagnosis, Ignored
from unstuck.engine.incidents import group_incidents
from unstuck.facts.core import Ref
from unstuck.facts.text import Messages, Text

say = Messages(__name__)


def leave_out_known(report: Report, settings: Settings) -> Report:
    """Remove known troubles from a report, which lists them as ignored, with entries that match nothing or
    too much.

    A diagnosis is removed if all its root causes are known troubles; a diagnosis without a cause stays.
    """
    if not (settings.troubles or settings.hidden_namespaces or settings.notes):
        return report
    spaces = settings.hidden_namespaces if report.view == "scan" else ()
    alike = _members_alike(report)
    left, ignored, matches = list[Diagnosis](), list[Ignored](), dict[KnownTrouble, set[Ref]]()
    for diagnosis in report.diagnoses:
        if space := next((s for s in spaces if _is_within(diagnosis.subject, s)), None):
            ignored.append(Ignored(diagnosis.subject, "", say("{space} is left out", space=space), ""))
            continue
        # Its unread look-alikes are hidden with it, so an entry has to match them, too.
        known = [
            k
            for k in settings.troubles
            if all(_names(k, ref) for ref in alike.get(diagnosis.subject, ())) or _names_culprit(k, diagnosis)
        ]
        kept, newly_ignored = _remove_known(diagnosis, known, matches)
        ignored += newly_ignored
        left += [kept] if kept else []
    entry_notes = (*settings.notes, *_list_stale_entries(settings, matches, whole=report.view == "scan"))
    notes = (*_list_summaries(ignored), *entry_notes)
    found = group_incidents(left, report.snapshot) if ignored else report.incidents
    answer = replace(
        report.answer,
        diagnoses=tuple(left),
        incidents=found,
        ignored=tuple(ignored),
        left_out=(*report.answer.left_out, *notes),
    )
    return replace(report, answer=answer)


def _remove_known(
    diagnosis: Diagnosis, known: Sequence[KnownTrouble], matches: dict[KnownTrouble, set[Ref]]
) -> tuple[Diagnosis | None, list[Ignored]]:
    """Return the diagnosis without its known troubles and their consequences; None if nothing remains."""
    ignored_indexes: dict[int, KnownTrouble] = {}
    for i in range(len(diagnosis.causes)):
        root = _root(diagnosis.causes, i)
        if entry := next((k for k in known if _matches(k, diagnosis, diagnosis.causes[root])), None):
            ignored_indexes[i] = entry
            matches.setdefault(entry, set()).add(_find_object(entry, diagnosis, diagnosis.causes[root]))
    if not ignored_indexes:
        return diagnosis, []
    roots = [(i, k) for i, k in ignored_indexes.items() if diagnosis.causes[i].consequence_of is None]
    ignored = [
        Ignored(diagnosis.subject, diagnosis.causes[i].id, _describe_reason(k), k.until.isoformat())
        for i, k in roots
    ]
    kept = [i for i in range(len(diagnosis.causes)) if i not in ignored_indexes]
    if not kept:
        return None, ignored
    place = {old: new for new, old in enumerate(kept)}
    causes = tuple(_renumber(diagnosis.causes[i], place) for i in kept)
    return replace(diagnosis, causes=causes), ignored


def _members_alike(report: Report) -> dict[Ref, list[Ref]]:
    """Return, for each examined incident member, the unread members that look the same."""
    found: dict[Ref, list[Ref]] = {}
    for incident in report.incidents:
        for member in set(incident.members).difference(incident.alike):
            found.setdefault(member, []).extend(incident.alike)
    return found


def _names_culprit(known: KnownTrouble, diagnosis: Diagnosis) -> bool:
    return any(
        _names(known, cause.finding.culprit) and cause.finding.culprit != diagnosis.subject
        for cause in diagnosis.causes
    )


def _root(causes: Sequence[CauseMatch], i: int) -> int:
    """Return the index of the root cause; chains of consequences have no cycles."""
    for _ in causes:
        above = causes[i].consequence_of
        if above is None:
            return i
        i = above
    return i


def _renumber(cause: CauseMatch, place: dict[int, int]) -> CauseMatch:
    above = cause.consequence_of
    return cause if above is None else replace(cause, consequence_of=place.get(above))


def _matches(known: KnownTrouble, diagnosis: Diagnosis, cause: CauseMatch) -> bool:
    return known.cause == cause.id and any(
        _names(known, ref) for ref in (diagnosis.subject, cause.finding.culprit)
    )


def _find_object(known: KnownTrouble, diagnosis: Diagnosis, cause: CauseMatch) -> Ref:
    return diagnosis.subject if _names(known, diagnosis.subject) else cause.finding.culprit


def _names(known: KnownTrouble, ref: Ref) -> bool:
    kind, _, name = known.object.partition("/")
    own = find_kind(kind)
    same = (
        ref.kind == own.ref_kind
        if own
        else kind.lower() in (ref.kind.lower(), ref.kind.partition(".")[0].lower())
    )
    return (
        same
        and fnmatchcase(ref.name or "", name)
        and (known.namespace is None or fnmatchcase(ref.within or "", known.namespace))
    )


def _is_within(ref: Ref, space: str) -> bool:
    return fnmatchcase((ref.name if ref.kind == "Namespace" else ref.within) or "", space)


def _describe_reason(known: KnownTrouble) -> Text:
    return say("{reason} (until {until})", reason=known.reason, until=known.until)


def _list_summaries(ignored: Iterable[Ignored]) -> list[Text]:
    """Return one line for each reason, with its number of objects."""
    groups: dict[tuple[str, Text], list[Ref]] = {}
    for one in ignored:
        groups.setdefault((one.cause, one.reason), []).append(one.subject)
    return [_describe_summary(cause, reason, refs) for (cause, reason), refs in groups.items()]


def _describe_summary(cause: str, reason: Text, refs: Sequence[Ref]) -> Text:
    many, first = len(refs), ", ".join(map(str, refs[:3])) + (" …" if len(refs) > 3 else "")
    what = f"{cause} " if cause else ""
    return say(
        "ignored {many}: {what}{first}: {reason}", many=many, what=what, first=first, reason=reason
    ) + say("; --no-ignore shows all")


def _list_stale_entries(
    settings: Settings, matches: dict[KnownTrouble, set[Ref]], *, whole: bool
) -> Iterable[Text]:
    """Yield entries that match nothing in a complete scan, or more objects than intended."""
    for known in settings.troubles:
        at, count = f"{settings.path}:{known.line}", len(matches.get(known, ()))
        if count > known.matches:
            yield say(
                "{at}: {cause} of {object} matches {count} objects, written for {matches}",
                at=at,
                cause=known.cause,
                object=known.object,
                count=count,
                matches=known.matches,
            )
        if not count and whole:
            yield say(
                "{at}: {cause} of {object} matches nothing: the entry can go",
                at=at,
                cause=known.cause,
                object=known.object,
            )
