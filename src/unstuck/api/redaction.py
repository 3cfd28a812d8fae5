"""Redacts a Snapshot for others to read, and checks whether it still gives the same answer."""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources.abc import Traversable
from typing import Any

from unstuck.api.replaying import diagnose_again
from unstuck.collect.redact.hiding import HiddenFacts as Hidden
from unstuck.collect.redact.hiding import RedactionError, redact
from unstuck.collect.redact.rules import RULES
from unstuck.collect.redact.vocabulary import words_of
from unstuck.diagnosis.answer import Diagnosis
from unstuck.errors import UnstuckError
from unstuck.facts.codec import Saved
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, Text, join_texts, same_in_both

say = Messages(__name__)

_KINDS = {
    "namespace": say("Namespaces"),
    "node": say("Nodes"),
    "pod": say("Pods"),
    "name": say("other names"),
    "host": say("hosts"),
    "repository": say("image repositories"),
    "image": say("images"),
    "address": say("addresses"),
    "mail": say("e-mail addresses"),
    "resource": say("cloud resources and owners"),
    "number": say("long numbers and keys"),
    "word": say("unknown words"),
}


@record()
class Redacted(Record):
    """The replacements. saved: the Snapshot with pseudonyms. report: the file's record of them. said: the
    same for people.
    """

    saved: Saved
    report: dict[str, Any]
    said: tuple[Text, ...]


def redact_saved(saved: Saved) -> Redacted:
    """Return the Snapshot with pseudonyms, compared with the one without.

    Errors: RedactionError if anything in it cannot be redacted.
    """
    return compare_answers(saved, summarise_saved(saved))


def compare_answers(saved: Saved, before: list[tuple[str, str, str]]) -> Redacted:
    """Return the result of `redact_saved`. before: the summary by `summarise_saved` of the unredacted
    Snapshot.
    """
    hidden = _hide(saved, words_stay=False)
    after = summarise_saved(hidden.saved)
    if after != before:
        hidden = _hide(saved, words_stay=True)
        after = summarise_saved(hidden.saved)
    counts = {kind: hidden.replaced[kind] for kind in _KINDS if hidden.replaced[kind]}
    report = {
        "replaced": counts,
        "never_collected": ["Secrets' values", "environments but for addresses in them", "command lines"],
        "kept": {rule.of.en: rule.stays.en for rule in RULES.values()},
        "names_kept_in_messages": hidden.kept,
        "same_causes": before == after,
    }
    replaced = (
        join_texts(_KINDS[kind] + same_in_both(f" {n}") for kind, n in counts.items())
        if counts
        else say("nothing")
    )
    said = [say("replaced: {replaced}", replaced=replaced)]
    if hidden.kept:
        said.append(
            say(
                (
                    "kept in messages: {kept} names that are also words of Kubernetes; look into "
                    "snapshot.json before you send it"
                ),
                kept=hidden.kept,
            )
        )
    if before != after:
        said.append(
            say("without the names the answer is another: who reads it needs the file without --redact")
        )
    return Redacted(hidden.saved, report, tuple(said))


def _hide(saved: Saved, *, words_stay: bool) -> Hidden:
    try:
        return redact(saved, collect_vocabulary(), words_stay=words_stay)
    except UnstuckError:
        raise
    except Exception as e:
        # On any error, nothing unredacted may be written.
        raise RedactionError(
            say("redaction failed and no file was written ({error})", error=type(e).__name__),
            say("collect without --redact and look into the file before you send it"),
        ) from e


def summarise_saved(saved: Saved) -> list[tuple[str, str, str]]:
    """Return the state, the causes with their confidence, and the open causes of every object in the
    Snapshot's answer.
    """
    return summarise_diagnoses(diagnose_again(saved)[0])


def summarise_diagnoses(diagnoses: Sequence[Diagnosis]) -> list[tuple[str, str, str]]:
    """Return the same summary for these diagnoses."""
    told = [(d.state.name, t.confidence, t.id) for d in diagnoses for t in d.causes]
    return sorted(
        told
        + [(d.state.name, "possible" if o.possible else "open", o.id) for d in diagnoses for o in d.undecided]
    )


@cache
def collect_vocabulary() -> frozenset[str]:
    """Return every word of this program's own text: the words of its message patterns, and its terms for
    Kubernetes.
    """
    words: set[str] = set()
    for text in _list_texts(importlib.resources.files("unstuck")):
        words |= words_of(text)
    return frozenset(words)


def _list_texts(folder: Traversable) -> Iterator[str]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _list_texts(entry)
        elif entry.name.endswith(".py"):
            yield entry.read_text("utf-8")
