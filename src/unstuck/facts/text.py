"""A text that a person reads, in both languages."""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class Text(Record):
    """The same statement in English and Chinese."""

    en: str
    zh: str

    def __add__(self, other: Text) -> Text:
        return Text(self.en + other.en, self.zh + other.zh)


def same_in_both(words: str) -> Text:
    """Return a text that is quoted as it stands: a name, a path, a server's own words."""
    return Text(words, words)
