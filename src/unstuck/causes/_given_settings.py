"""A setting in a program's words, and the variable of its container that is called like it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from unstuck.causes._value_source import ValueSource
from unstuck.causes._variables import (
    find_shape,
    find_variable_place,
    list_variables,
    list_whole_variables,
    name_object,
    read_keys,
)
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, join_texts
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.pod import Containers, Needs
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Containers, Keys, Needs, PodSettings})
# Words for the same thing.
_SAME = MappingProxyType(
    {
        "uri": "url",
        "dsn": "url",
        "jdbcurl": "url",
        "addr": "address",
        "pass": "password",
        "passwd": "password",
        "pwd": "password",
        "db": "database",
        "dbname": "database",
        "dir": "directory",
        "loglevel": "level",
        "username": "user",
        "vhosts": "vhost",
        "virtualhost": "vhost",
        "tz": "timezone",
        "timezone": "timezone",
        "buckets": "bucket",
        "connectionstrings": "connectionstring",
    }
)
# Two words that programs write for one.
_PAIRS = regex(
    r"(?i)\b(?:(?P<connection>connection|initialization)[ _]?strings?|(?P<vhost>virtual host)"
    r"|(?P<zone>time zone))"
)
# A setting of this name is rarely meant otherwise.
_CLEAR = frozenset(
    {"broker", "bucket", "database", "keyspace", "queue", "region", "timezone", "topic", "vhost"}
)
_STRING = "connectionstring"
_WORD = regex(r"[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)*")
_HUMPS = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_VARIABLE = regex(r"[A-Z][A-Z0-9_]{1,100}")
_LEAST, _SHOWN, _LONG = 2, 2, 2000
# Words that say that a value is not fit.
_UNFIT = regex(
    r"(?i)in(?:valid|correct)|must |malformed|pars|unsupported|does(?:n't| not)|unknown|illegal|bad |wrong"
    r"|unable|cannot|not (?:a )?(?:valid|found|supported|allowed|specified|exist|conform)|could not|empty"
    r"|missing|too (?:short|long)|required"
)


def find_setting_given(pod: Ref, container: str | None, line: str, snap: Facts) -> ValueSource:
    """Return the variables of the container that are called like the setting that the line is about; empty if
    none is, or too many are.
    """
    spec = find_container_spec(pod, container, snap)
    if spec is None or not _UNFIT.search(line):
        return ValueSource()
    whole = list_whole_variables(pod, container, snap)
    names = unique((*spec.env, *whole.names))
    best = pick_variables(line, names)
    if not best or len(best) > _SHOWN:
        return ValueSource(wants=whole.wants)
    of_keys = (v for v in list_variables(pod, container, snap) if v.name in best)
    unread = tuple(Want(Keys, v.object) for v in of_keys if read_keys(v.object, snap) is None)
    places = [find_variable_place(pod, container, name, snap) for name in best]
    where = join_texts(places)
    return ValueSource(
        say("; that is probably the value of {where}", where=where)
        + (find_shape(pod, container, best[0], snap) if len(best) == 1 else NO_TEXT),
        say("correct the value of {where}, if the line is about it", where=where),
        unique((*whole.wants, *unread)),
        best,
    )


def pick_variables(line: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the variables whose names the line's words are most like; empty if none is like enough."""
    words = list(_list_words(line[:_LONG]))
    every = {token for tokens in words for token in tokens}
    scores = {name: _compare(_split(name), words, every) for name in names}
    most = max(scores.values(), default=0)
    return tuple(name for name, score in scores.items() if score == most) if most >= _LEAST else ()


def _compare(variable: tuple[str, ...], words: list[tuple[str, ...]], every: set[str]) -> int:
    """Return how many of a variable's words the line has: its last ones as one name, then any other."""
    ends = [len(w) for w in words if variable[-len(w) :] == w]
    last = variable[-2:-1] if variable[-1:] == ("name",) else variable[-1:]
    clear = _LEAST if any(token in _CLEAR and token in every for token in last) else 0
    if _STRING in variable and _STRING in every:
        clear = _LEAST
    if not ends and not clear:
        return 0
    end = max(ends, default=0)
    rest = variable[: len(variable) - end] if end else ()
    return max(clear, end) + sum(1 for token in rest if len(token) > _LEAST and token in every)


def _list_words(line: str) -> Iterator[tuple[str, ...]]:
    for found in _PAIRS.finditer(line):
        yield (_STRING if found["connection"] else "vhost" if found["vhost"] else "timezone",)
    for found in _WORD.finditer(line):
        yield _split(found[0])


def _split(name: str) -> tuple[str, ...]:
    whole = _SAME.get(name.lower().replace("_", ""), "")
    if whole:
        return (whole,)
    humps = re.sub("(?i)connection_?strings?", "Connectionstring", name)
    parts = re.split(r"[^A-Za-z0-9]+", _HUMPS.sub("_", humps))
    return tuple(_SAME.get(p.lower(), p.lower()) for p in parts if p)


def find_misnamed(pod: Ref, container: str | None, line: str, name: str, snap: Facts) -> ValueSource:
    """Return the variable that holds a missing setting under another name: behind a prefix, or nearly so
    called; empty if none is alike.
    """
    spec = find_container_spec(pod, container, snap)
    if spec is None or not name:
        return ValueSource()
    whole = list_whole_variables(pod, container, snap)
    if behind := next((v for v in whole.prefixed if v.key == name and v.name != name), None):
        prefix = behind.name.removesuffix(behind.key)
        return ValueSource(
            say(
                "; key {key} of {of} becomes variable {variable}: its envFrom has prefix {prefix}",
                key=behind.key,
                of=name_object(behind.object),
                variable=behind.name,
                prefix=prefix,
            ),
            say(
                "remove prefix {prefix} from that envFrom, or let the program read {variable}",
                prefix=prefix,
                variable=behind.name,
            ),
            whole.wants,
        )
    names = tuple(n for n in unique((*spec.env, *whole.names)) if n != name)
    near = _pick_misnamed(line, name, names)
    if not near:
        return ValueSource(wants=whole.wants)
    relaxed = re.sub(r"[^A-Z0-9]+", "_", name.upper())
    meant = relaxed if "_" in relaxed else name if _VARIABLE.fullmatch(name) else _write_like(near, name)
    if not meant or meant in (*spec.env, *whole.names):
        return ValueSource(wants=whole.wants)
    place = find_variable_place(pod, container, near, snap)
    return ValueSource(
        say("; {place} is set, and {meant} is not", place=place, meant=meant),
        say("name it {meant} in place of {near} in the template, if that is meant", meant=meant, near=near),
        whole.wants,
    )


def _pick_misnamed(line: str, name: str, names: tuple[str, ...]) -> str:
    """Return the variable that is called nearly so, "" without one: the same words, the same but for one
    letter or two, or the only one that the line's words are like.
    """
    if same := [n for n in names if _split(n) == _split(name)]:
        return same[0]
    if _VARIABLE.fullmatch(name):
        return next(iter(pick_nearest(name, names)), "")
    if alike := pick_nearest(re.sub(r"[^A-Z0-9]+", "_", name.upper()), names):
        return alike[0]
    tokens = _split(name)
    like = [n for n in pick_variables(line, names) if _split(n)[-len(tokens) :] == tokens]
    return like[0] if len(like) == 1 else ""


def _write_like(variable: str, name: str) -> str:
    """Return the variable with its end replaced by this name; "" for another form."""
    tokens = re.split(r"[^A-Za-z0-9]+", name.upper())
    parts = variable.split("_")
    return "_".join((*parts[: -len(tokens)], *tokens)) if len(parts) > len(tokens) else ""
