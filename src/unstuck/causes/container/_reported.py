"""The steps that follow from a program's quoted line: fix the object that it names; a line without names
leads only to the lines before it.
"""

from __future__ import annotations

from dataclasses import fields

from unstuck.diagnosis.line_classes import look_of_class
from unstuck.diagnosis.mentioned import names_in
from unstuck.diagnosis.objects_named import find_objects_in_line
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.regex import regex

say = Messages(__name__)

# A quoted word, an option, `key=value` or `key: value`, a variable, a file of some form, an address.
_NAMES = regex(
    r"[\"'`“][^\"'`”]{1,200}[\"'`”]|(?<![\w-])--?[A-Za-z][\w-]{1,60}|\b[A-Za-z][\w.-]{1,60}(?:=\S|: ?\d)"
    r"|\b[A-Z][A-Z0-9]{1,40}_[A-Z0-9_]{1,40}\b|\b[\w-]{1,60}\.(?:ya?ml|json|conf|cfg|toml|properties|xml|ini|env|cnf)\b"
    r"|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"
)
_NO_NAMES = ("words", "error", "space")


def advise_by_line(line: str, within: str | None, verify: Text) -> tuple[Step, ...]:
    """Return the look for the line's class, and the fix of the object that it names; none if it has no class
    and no names.

    within: the Namespace of its author. verify: how to see that the fix worked.
    """
    look = look_of_class(line) if line else None
    return fitting(
        *(
            (Step(say("see {what}", what=look.says), command=look.command),)
            if look and not look.on_node
            else ()
        ),
        Remedy(
            bool(line) and names_anything(line, within),
            Step(
                say("fix what this line names, where the program gets it from"), where="source", verify=verify
            ),
        ),
    )


def names_anything(line: str, within: str | None) -> bool:
    """Tell whether a line names a fixable thing: an object, a path, a host, an option, a setting."""
    named = names_in(line)
    return (
        any(getattr(named, f.name) for f in fields(named) if f.name not in _NO_NAMES)
        or bool(find_objects_in_line(line, within))
        or _NAMES.search(line) is not None
    )
