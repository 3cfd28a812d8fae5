"""The errors that an operator sees: one line that says what happened, to which object, and what to do; in
English and Chinese.
"""

from __future__ import annotations

from unstuck.facts.text import Text


class UnstuckError(Exception):
    """The question could not be asked. hint: what to do, as a second sentence. `str()` is the English
    line.
    """

    def __init__(self, message: Text, hint: Text | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    @property
    def said(self) -> Text:
        """The whole line."""
        return join_sentences(self.message, self.hint) or self.message

    def __str__(self) -> str:
        return self.said.en


def join_sentences(*parts: Text | None) -> Text | None:
    """Return sentences one after the other; None where there is none."""
    said = [p for p in parts if p is not None]
    return Text("; ".join(p.en for p in said), "；".join(p.zh for p in said)) if said else None


class UsageError(UnstuckError):
    """The words of the command are off."""


class NotFound(UnstuckError):
    """No such object, kind, Namespace or context."""


class AccessError(UnstuckError):
    """Credentials missing, expired or refused."""


class Unreachable(UnstuckError):
    """The server does not answer."""


class InputError(UnstuckError):
    """A file or a text that cannot be read as what it should be."""
