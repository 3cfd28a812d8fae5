"""Finds the errors that programs, controllers and commands report in a short text, in any context.

`error_lines` reads one line; here the lines around it complete it, lines from which a fact was read already
are left out, and the errors nearest to the root are chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from unstuck.collect.masking import mask
from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.text.checklists import find_failed_checks
from unstuck.collect.text.cutting.joined import split_joined
from unstuck.collect.text.cutting.message import VAGUE
from unstuck.collect.text.cutting.piece import Piece
from unstuck.collect.text.cutting.shown_objects import find_shown_object
from unstuck.collect.text.cutting.told_marks import (
    find_above_ends,
    find_condition_messages,
    find_heads,
    find_record_lines,
    find_uncaught,
    join_answer,
    join_folded,
)
from unstuck.collect.text.error_lines import ANYBODYS, read_error_line
from unstuck.collect.text.kubectl.other_rows import IN_ROWS
from unstuck.collect.text.lookups import blame_tool
from unstuck.collect.text.node.listed_paths import add_owner
from unstuck.collect.text.panics import find_panics
from unstuck.collect.text.rules_told import find_refused_rules
from unstuck.collect.text.told_details import add_detail
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Conditions, Events, Failure, Presence
from unstuck.facts.aspects.pasted import ToldError, ToldErrors
from unstuck.facts.aspects.pod import Complaint, ContainerStatuses, LastLines
from unstuck.facts.aspects.refusals import ForbiddenRequests
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.derive.pods import place_of_containers
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.program.frames import find_place
from unstuck.wording.program.read import SERVERS_OWN, find_complaint
from unstuck.wording.program.speakers import find_speaker

_LONGEST, _MOST = 4000, 12
# These name no reason: that a program crashed, or waits.
_NO_REASONS: tuple[ProgramError, ...] = ("crashed", "waits")
# The speaker may be named this many lines above or below.
_AROUND = 3
# This much of a quoted line is searched for at its place.
_COMPARED = 80
# An object's own fields, and lists of many things, are enough alone. A Pod's log is read by its own format.
_SILENT = frozenset(
    {
        "json-yaml",
        "fragment",
        "fragment-json",
        "condition",
        "pod-logs",
        "inspect",
        "versions",
        "lsattr",
        "mount",
        "mountinfo",
    }
)
# A part of an object whose kind nothing names.
_FRAGMENTS = frozenset({"fragment", "fragment-json"})
# The whole piece is about the object in its first line.
_OF_ONE = frozenset({"describe", "describe-namespace"})
# Troubles of other objects: any other fact of the text is nearer to the root.
_SYMPTOMS: tuple[ProgramError, ...] = (
    "connection-cut",
    "connection-refused",
    "connection-timed-out",
    # It passes.
    "server-not-ready",
    # One caller among many.
    "caller-certificate-refused",
    "serving-certificate-refused",
)
# Commands that make or change something.
_MAKES = frozenset({"install", "upgrade", "apply", "create", "push", "pull", "build", "run"})
_UNSERVED = "currently unable to handle"
# A manual command in a healthy container that does not contain the program.
_NOT_EXECUTED: tuple[Operation, ErrorWord] = ("exec", "exec-not-found")
# The server's words about one named object.
_OF_AN_OBJECT: tuple[ProgramError, ...] = ("already-there", "object-invalid", "object-missing")
# A tool's sentence about several objects precedes that of each: Helm pkg/action/install.go.
_ANNOUNCED: tuple[ProgramError, ...] = ("already-there", "migration-open")
# Reasons why a file or directory cannot be created.
_NOT_MADE: tuple[ProgramError, ...] = ("permission-denied", "read-only", "no-space", "ownership-refused")
# A full etcd, or the end of a program, is not a trouble of the object whose message reports it.
# The words name the Node whose credentials a kubelet presents, for any write.
_OF_EVERYBODY: tuple[ErrorWord, ...] = ("storage-full", "fatal", "identity-mismatch")
# Where an object's own call failed, its causes weigh these words.
_OF_A_CALL: tuple[ProgramError, ...] = ("cloud-refused",)
# Terraform names below an error which resource it is about: internal/command/format/diagnostic.go.
_WITH = regex(r"^\W{0,4}with (?P<address>[a-z][\w.\[\]\"-]{2,200}),$")


def find_told_errors(
    name: str,
    pieces: Sequence[tuple[str, Piece]],
    facts: Collection[Fact],
    passed: frozenset[str],
) -> ToldErrors | None:
    """Return the errors that a text reports and no fact explains, None if there are none. pieces: (format,
    piece), in order. passed: places of steps that have succeeded since.
    """
    ends = {f.src.where for f in facts if isinstance(f, Failure) and f.operation == "program-run"}
    # A request that was refused leaves something unseen; if nothing else was read, it is itself the fault.
    refused_only = all(isinstance(f, Refused) for f in facts)
    well = _list_places_of_well(facts)
    # A missing right names its owner; the end of a program for lack of it does not yet name the right.
    explained = passed | {
        f.src.where
        for f in facts
        if explains(f)
        and not (isinstance(f, ForbiddenRequests) and f.src.where in ends)
        and not (refused_only and isinstance(f, Refused))
        # No run of its container ended over its last line.
        and not (isinstance(f, LastLines) and f.about.within in well)
    }
    failing = {f.src.where for f in facts if isinstance(f, Failure)}
    about = {
        f.src.where: f.about
        for f in facts
        if f.about.name and f.about.kind != "Text" and not isinstance(f, LogSeen)
    }
    left: tuple[ProgramError, ...] = (*_OF_A_CALL, *ANYBODYS)
    found = [
        *_dedupe(
            one
            for one in _read_errors(pieces, explained, about)
            if one[0].complaint.error not in left or one[1].where not in failing
        )
    ]
    checks = [*find_failed_checks(pieces)]
    crossed = {src.where for _, src in checks}
    # A check that failed says it in ordinary words, too.
    found = [one for one in found if one[1].where not in crossed or one[0].complaint.error not in ANYBODYS]
    found += [
        one
        for one in (*checks, *find_panics(pieces), *find_refused_rules(pieces))
        if one[1].where not in explained
    ]
    if any(isinstance(f, Failure) and explains(f) for f in facts):
        found = [one for one in found if one[0].complaint.error not in ANYBODYS]
    acts = _find_acts(pieces)
    told = _choose_of_each([(error, acts.get(src.where, "")) for error, src in found])
    if not told:
        return None
    src = next(src for error, src in found if error == told[0])
    items = tuple(add_owner(one, [piece for _, piece in pieces]) for one in told)
    return ToldErrors(about=Ref("Text", None, name), src=src, whole=False, items=items)


def _list_places_of_well(facts: Collection[Fact]) -> set[str | None]:
    """Return the places of containers of the Pods whose containers, as the text shows, all run and never
    ended.
    """
    return {
        place_of_containers(f.about)
        for f in facts
        if isinstance(f, ContainerStatuses)
        and f.items
        and all(s.state == "running" and s.ended is None and s.last is None for s in f.items)
    }


def _leave_out_announcing(found: Sequence[ToldError]) -> list[ToldError]:
    """Leave out errors that only announce another one, which names the object."""
    naming = {e.complaint.error for e in found if e.complaint.name and e.complaint.error in _ANNOUNCED}
    unmade = {e.complaint.path for e in found if e.complaint.error in _NOT_MADE and e.complaint.path}
    # An object that could not be created is absent for that reason.
    found = [
        e for e in found if not (e.complaint.error == "file-missing" and _is_in(e.complaint.path, unmade))
    ]
    return [e for e in found if e.complaint.error not in naming or e.complaint.name or e.complaint.path]


def _is_in(path: str, above: Collection[str]) -> bool:
    """Tell whether a path is one of these, or is below one."""
    return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in above)


def find_log_complaints(name: str, facts: Collection[Fact]) -> ToldErrors | None:
    """Return the reasons for which programs could not go on, from the last lines of their logs, if a text
    holds nothing else; else None.

    If a program's last line reports its end, its run is known, and the reason is not repeated.
    """
    logs = [f for f in facts if isinstance(f, LastLines)]
    telling = [
        f for f in logs if f.complaint and not f.complaint.final and f.complaint.error not in _NO_REASONS
    ]
    if not telling or len(logs) != len(facts):
        return None
    told = tuple(
        ToldError(f.complaint, by=f.about.name or "", of=_find_pod(f.about)) for f in telling if f.complaint
    )
    return ToldErrors(about=Ref("Text", None, name), src=telling[0].src, whole=False, items=told[:_MOST])


def find_output_complaints(
    name: str, pieces: Sequence[tuple[str, Piece]], facts: Collection[Fact]
) -> ToldErrors | None:
    """Return the same from the output of programs whose Pod or Namespace no command names, if no other fact
    explains anything; else None.
    """
    if any(explains(f) for f in facts):
        return None
    told, first = list[ToldError](), None
    for _, piece in (one for one in pieces if one[0] == "container-log"):
        said = find_complaint([mask(line) for line in piece.lines])
        if said and said.error not in _NO_REASONS:
            at = next((n for n, line in enumerate(piece.lines) if said.line[:_COMPARED] in mask(line)), 0)
            first = first or piece.src(at, said.line)
            told.append(
                ToldError(said, find_speaker(said.line, piece.lines[max(0, at - _AROUND) : at + _AROUND + 1]))
            )
    return (
        ToldErrors(about=Ref("Text", None, name), src=first, whole=False, items=tuple(told[:_MOST]))
        if first
        else None
    )


def _find_pod(container: Ref) -> Ref | None:
    namespace, slash, pod = (container.within or "").rpartition("/")
    return Ref("Pod", namespace or None, pod) if slash and pod else None


def _read_errors(
    pieces: Sequence[tuple[str, Piece]], explained: Collection[str], about: dict[str, Ref]
) -> Iterator[tuple[ToldError, Source]]:
    lines = [line for _, piece in pieces for line in piece.lines]
    said, ended, above_end, heads = (
        find_condition_messages(lines),
        find_uncaught(lines),
        find_above_ends(lines),
        find_heads(lines),
    )
    numbers = [number for _, piece in pieces for number in range(piece.start, piece.end + 1)]
    within = find_record_lines(lines, {n for n in range(1, len(numbers)) if numbers[n] - numbers[n - 1] > 1})
    folded = {n: join_folded(lines, n) for n in said}
    folded |= {n: join_answer(lines, n) for n in range(len(lines)) if n not in said and "URL: " in lines[n]}
    # The continuation of a message is read with its first line.
    inner = {n for start, (end, _) in folded.items() for n in range(start + 1, end)}
    above = 0
    for form, piece in pieces:
        own = (about.get(piece.src(0).where) if form in _OF_ONE else None) or find_shown_object(piece)
        silent = form in _SILENT and not (form in _FRAGMENTS and not _is_known(piece, about))
        for n, written in enumerate(() if silent else piece.lines):
            at = above + n
            if at in inner:
                continue
            line = folded[at][1] if at in folded and folded[at][0] > at + 1 else written
            for one in split_joined(line) if 12 <= len(line) <= _LONGEST else ():
                text = f"{heads[at]} {one.strip()}" if at in heads else one
                if (
                    told := read_error_line(
                        text,
                        said=at in said,
                        ended=at in ended,
                        above_end=at in above_end,
                        within=at in within,
                    )
                ) is None:
                    continue
                src = piece.src(n, told.complaint.line)
                if src.where not in explained and (form != "table" or told.complaint.error in IN_ROWS):
                    if at in ended:
                        told = replace(told, complaint=replace(told.complaint, place=find_place(lines[:at])))
                    told = replace(
                        told,
                        complaint=_place_in_namespace(add_detail(told.complaint, lines, at), piece.namespace),
                    )
                    by = (
                        told.by
                        or _find_resource(lines[at + 1 : at + 1 + _AROUND])
                        or find_speaker(line, lines[max(0, at - _AROUND) : at + _AROUND + 1])
                    )
                    of = told.of or about.get(src.where) or own
                    yield blame_tool(replace(told, by=by, of=of), lines), src
        above += len(piece.lines)


def _is_known(piece: Piece, about: dict[str, Ref]) -> bool:
    """Tell whether any fact was read from these lines."""
    return any(piece.src(n).where in about for n in range(len(piece.lines)))


def _find_resource(below: Sequence[str]) -> str:
    """Return Terraform and the resource that it names below an error; "" for another program's error."""
    return next((f"Terraform ({m['address']})" for line in below if (m := _WITH.match(line.strip()))), "")


def _place_in_namespace(said: Complaint, typed: str | None) -> Complaint:
    """Add the Namespace of the command above to a complaint about an object that names none."""
    kind = (
        find_kind(said.resource.partition(".")[0].lower())
        if said.error in _OF_AN_OBJECT and said.resource
        else None
    )
    return (
        replace(said, namespace=typed)
        if typed and kind and kind.namespaced and said.name and not said.namespace
        else said
    )


def explains(fact: Fact) -> bool:
    """Tell whether a fact explains its line; a fact that only names an object, or reports that something
    failed, does not.
    """
    if isinstance(fact, Failure):
        return (
            fact.error not in VAGUE
            and fact.error not in _OF_EVERYBODY
            and (fact.operation, fact.error) != _NOT_EXECUTED
        )
    return not isinstance(fact, Events | LogSeen | Conditions | Presence | Reported)


def _dedupe(found: Iterator[tuple[ToldError, Source]]) -> Iterator[tuple[ToldError, Source]]:
    seen = set[tuple[object, ...]]()
    for error, src in found:
        key = _make_key(error.complaint)
        if key not in seen:
            seen.add(key)
            yield error, src


def _make_key(said: Complaint) -> tuple[object, ...]:
    named = (said.name, said.port, said.path, said.verb, said.resource, said.group, said.namespace)
    # A cloud's error code names no object: its message does.
    return (said.error, *named, said.reason if said.error == "cloud-refused" else "")


def _is_symptom(said: Complaint) -> bool:
    """Tell whether an error is another's: an aggregated API that does not answer has a reason of its own."""
    return said.error in _SYMPTOMS or (said.error == "metric-missing" and _UNSERVED in said.reason)


def _find_acts(pieces: Sequence[tuple[str, Piece]]) -> dict[str, str]:
    """Return by place the command that printed the line, if it was to make something: one does not follow
    from another.
    """
    return {
        piece.src(n).where: piece.command.text
        for _, piece in pieces
        if piece.command and _MAKES & {*piece.command.words[1:3]}
        for n in range(len(piece.lines))
    }


def _choose_of_each(found: Sequence[tuple[ToldError, str]]) -> tuple[ToldError, ...]:
    """Return the errors nearest to the root: of each act its own. found: (error, the act or "")."""
    every = _choose_nearest(_leave_out_announcing([error for error, _ in found]))
    acts = [*dict.fromkeys(act for _, act in found if act)]
    if len(acts) < 2:
        return every
    own = [e for act in acts for e in _choose_nearest([error for error, by in found if by == act])]
    told = {*every, *(e for e in own if not _is_symptom(e.complaint))}
    return tuple([error for error, _ in found if error in told][:_MOST])


def _choose_nearest(found: Sequence[ToldError]) -> tuple[ToldError, ...]:
    """Return the errors nearest to the root: first a program's last errors, then errors that only servers
    report, and others' trouble last.
    """
    ends = [e for e in found if e.fatal]
    own = [e for e in found if not _is_symptom(e.complaint)]
    servers = [e for e in own if e.complaint.error in SERVERS_OWN]
    # A missing object with its Namespace is as near to the root as any server's word.
    servers += [e for e in own if servers and e.complaint.error == "object-missing" and e.complaint.namespace]
    named = [e for e in own if e.complaint.error not in ANYBODYS]
    return tuple(next((some for some in (ends, servers, named, own) if some), list(found))[:_MOST])
