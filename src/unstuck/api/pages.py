"""The pages of causes, read from the modules of the causes."""

from __future__ import annotations

import difflib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from unstuck.diagnosis.cause import Cause
from unstuck.engine import discover
from unstuck.engine.discover import find, read_chinese_page
from unstuck.errors import NotFound
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

# Kubernetes' own one-word terms.
_OWN_WORD = re.compile(r"\b[A-Z][a-z]+(?:[A-Z][a-z]+)+\b")
_SHORTEST = 4


@record()
class CausePage(Record):
    """The description of one cause. title: in two languages.

    subjects: the kinds of its objects. stages: ids of the stages that it can block, none for any. reads:
    names of its fact types. aliases: former ids.
    """

    id: str
    family: str
    title: Text
    subjects: tuple[str, ...]
    stages: tuple[str, ...]
    reads: tuple[str, ...]
    aliases: tuple[str, ...]

    def to_markdown(self, lang: Literal["en", "zh"] = "en") -> str:
        """Return the page in Markdown: mechanism, symptoms, known limits."""
        cause = find(discover(), self.id)
        assert cause is not None  # noqa: S101 - the page was made from it
        return page_of(cause, lang)

    def to_document(self) -> dict[str, Any]:
        """Return the page as plain values, in the form of `unstuck explain -o json`."""
        return {
            "id": self.id,
            "family": self.family,
            "title": {"en": self.title.en, "zh": self.title.zh},
            "subjects": list(self.subjects),
            "stages": list(self.stages),
            "reads": list(self.reads),
            "aliases": list(self.aliases),
            "page": {"en": self.to_markdown("en"), "zh": self.to_markdown("zh")},
        }


def explain(id_: str, /) -> CausePage:
    """Return the page of one cause. id_: its id or a former one, e.g. `file.immutable`. Errors: NotFound
    with the nearest ids.
    """
    known = discover()
    cause = find(known, id_)
    if cause is None:
        raise _make_not_found(id_, known)
    return _page(cause)


def search(words: str, /) -> tuple[CausePage, ...]:
    """Search id, family, title and page of each cause for all of these words as prefixes; return the matching
    causes, most mentions first.

    words: `oom`, `CrashLoopBackOff`, `image pull`; a family's name gives the family.
    """
    asked = [re.compile(rf"(?<![A-Za-z0-9]){re.escape(word)}", re.IGNORECASE) for word in words.split()]
    known = discover()
    if family := tuple(c for c in known if c.family == words.strip().lower()):
        return tuple(_page(c) for c in family)
    found = [(c, weight) for c in known if asked and (weight := _weight(c, asked))]
    return tuple(_page(c) for c, _ in sorted(found, key=lambda one: (-one[1], one[0].id)))


def look_up(words: str, /) -> tuple[CausePage, ...]:
    """Return the page of the cause with this id, else the causes that `search` finds. Errors: NotFound
    with the nearest ids.
    """
    try:
        return (explain(words),)
    except NotFound:
        found = search(words) or _search_any(words)
        if not found:
            raise
    return found


def _search_any(words: str) -> tuple[CausePage, ...]:
    """Return the causes that mention some of these words, most words first, for the case that none mentions
    all.
    """
    asked = words.split()
    if len(asked) < 2:
        return ()
    found = [page for word in asked for page in search(word)]
    counted = Counter(page.id for page in found)
    most = max(counted.values(), default=0)
    return tuple(dict.fromkeys(page for page in found if counted[page.id] == most))


def _weight(cause: Cause, asked: Sequence[re.Pattern[str]]) -> int:
    """Weigh a cause's mentions of these words, 0 if one is missing: id and title count more than the page."""
    ids, titles = " ".join((cause.id, *cause.aliases)), f"{cause.title.en} {cause.title.zh}"
    texts = ((ids, 20), (titles, 20), (page_of(cause, "en"), 1), (page_of(cause, "zh"), 1))
    each = [sum(weight * len(word.findall(text)) for text, weight in texts) for word in asked]
    return sum(each) if all(each) else 0


def causes() -> tuple[CausePage, ...]:
    """Return the pages of all causes, by family."""
    return tuple(_page(c) for c in discover())


def page_of(cause: Cause, lang: Literal["en", "zh"]) -> str:
    """Return the page in Markdown: the module's docstring, or the Chinese page beside it."""
    if lang == "zh" and (page := read_chinese_page(cause)):
        return page
    return inspect.cleandoc(sys.modules[cause.rule.__module__].__doc__ or cause.title.en)


def _page(cause: Cause) -> CausePage:
    return CausePage(
        id=cause.id,
        family=cause.family,
        title=cause.title,
        subjects=tuple(cause.subjects),
        stages=tuple(cause.stages),
        reads=tuple(sorted(f.__name__ for f in cause.reads)),
        aliases=tuple(cause.aliases),
    )


def _near_words(typed: str, known: Sequence[Cause]) -> list[str]:
    """Return similar words from ids and Kubernetes' terms (`CrashLoopBackOff`) for a typed word, compared by
    their beginnings.
    """
    size = len(typed)
    if size < _SHORTEST:
        return []
    spoken = {
        word for c in known for word in (*re.split(r"[.-]", c.id), *_OWN_WORD.findall(page_of(c, "en")))
    }
    by_start: dict[str, list[str]] = {}
    for word in sorted(spoken):
        by_start.setdefault(word.lower()[:size], []).append(word)
    return [by_start[start][0] for start in difflib.get_close_matches(typed.lower(), by_start, 3, 0.75)]


def _make_not_found(id_: str, known: Sequence[Cause]) -> NotFound:
    ids = [c.id for c in known]
    of_ids = difflib.get_close_matches(id_, ids, 3, 0.5)
    near = of_ids if "." in id_ and of_ids else _near_words(id_, known) or of_ids
    named = ", ".join(near)
    hint = say("nearest: {named}", named=named) if near else say("unstuck explain lists them")
    return NotFound(say("no cause is called {id!r}", id=id_), hint)
