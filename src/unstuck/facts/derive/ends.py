"""Recognises a program's lines about its end without the reason, which is in the lines above."""

from __future__ import annotations

import re

from unstuck.facts.regex import regex

# Prefixes of a message: klog's header, a time, a level, a logger's frame, Go's own goroutine after a panic.
_FRAME = regex(
    r"^\s*[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] ?|\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?"
    r"(?:Z|[+-]\d\d:?\d\d)?"
    r"|\b(?:time|level|ts|caller|severity|logger)=(?:\"[^\"]*\"|\S+)|\b(?:msg|err|error|message)=|goroutine "
    r"\d+ \[[\w ,]+\]:?"
    r"|\b(?:status|code|signal|rc|exit)[ :=]{1,3}-?\d{1,3}(?=\D|$)|\[\d+\]"
)
# Words for a successful end.
_WELL = regex(r"\b(?:status|code|rc|exit)[ :=(]{1,3}0(?=\D|$)")
_WORD = regex(r"[^\W_]+(?:['’][a-z]{1,2})?")
# The words of such a line, at least one of them from the first group.
_ENDS = (
    "fatal panic error errors exit exits exited exiting exception abort aborted aborting fail failed failure "
    "terminated quitting giving crashed"
)
_FILLS = (
    "a an the has have had is was be been will with to in of on for and or by it its this that one some more "
    "not non zero now up down due because while after occurred happened encountered detected found returned "
    "caused see above below details log logs program process command application app service server main "
    "child container script task step could can cannot can't couldn't did unable create start starting "
    "started run running java virtual machine jvm node unexpected unexpectedly unhandled unknown status code "
    "signal setup shutting shutdown shut gracefully immediately previous following please check err critical"
)
_END_WORDS = frozenset(_ENDS.split())
_WORDS = _END_WORDS | frozenset(_FILLS.split())


def is_bare_end(line: str) -> bool:
    """Tell whether a line reports only a program's end or failure, without a reason: `panic: exit status 1`,
    `Program will exit.`.
    """
    if _WELL.search(line[:400]):
        return False
    words = [word.lower() for word in _WORD.findall(_FRAME.sub(" ", line[:400]))]
    # The frame may hold the word: `exit status 1`.
    ends = any(word in _END_WORDS for word in words) or "exit status" in line or "exit code" in line
    return 0 < len(words) < 20 and ends and all(word in _WORDS for word in words)


# A program's advice, or its usage: neither gives a reason.
_HINT = regex(
    r"^\W{0,4}(?:hint|tip|usage|for (?:more )?(?:help|information|details)|(?:see|try|run|use) [`'\"]|did "
    r"you mean)\b"
    r"|^\W{0,4}(?:the )?[`'\"][\w -]{1,60}[`'\"] (?:command|subcommand|option|flag) (?:can|may) be used\b"
    r"|\b(?:see|try|run) .{0,80}--help\b|^\s*-{1,2}[A-Za-z][\w-]{0,40}(?:[ ,=]|$)",
    re.I,
)


def is_closing(line: str) -> bool:
    """Tell whether a line reports only that the program ends, gives advice, or shows the program's usage."""
    return is_bare_end(line) or _HINT.search(line[:400]) is not None
