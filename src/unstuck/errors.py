"""The errors that an operator sees: one line that says what happened, to which object, and what to do."""

from __future__ import annotations


class UnstuckError(Exception):
    """The question could not be asked. hint: what to do, as a second sentence."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


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
