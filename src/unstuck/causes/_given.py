"""Join a program's words with what its Pod was given: each name in the words that stands in the Pod's spec,
or in a ConfigMap or Secret that it uses, leads to the place where it is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.causes import _given_paths, _given_settings
from unstuck.causes._given_misspelt import find_misspelt
from unstuck.causes._given_paths import find_path_given
from unstuck.causes._given_settings import find_setting_given
from unstuck.causes._key_files import find_given_file
from unstuck.causes._value_source import ValueSource
from unstuck.causes._variables import find_settings, find_variable_place
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, join_texts
from unstuck.facts.aspects.objects import KeyAddress, Keys
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = _given_paths.READS | _given_settings.READS
# A program that must be the first of its process namespace.
_FIRST = regex(r"(?i)\b(?:as|be|is not|not)\b.{0,30}\b(?:pid|process(?: id)?) ?1\b")
# A host is meant, and no word of the language: what stands before it, and after it.
_BEFORE = regex(
    r"(?i)(?:[\"'`@\[(=]|//"
    r"|\b(?:address|host(?:name)?|lookup|server|to|by|at|from|for|dial(?: tcp)?|endpoint) )$"
)
_AFTER = regex(r":\d|[\"'`\])]|: (?:missing port|no such host)|/")
_CONFIGURATION = regex(r"(?i)\bconfig(?:uration|s)?\b|\bsection\b|\bdirective\b|\bpipelines?\b")
_LOCAL = ("localhost", "0.0.0.0", "127.0.0.1", "[::]", "[::1]")
_SHOWN = 2


def find_given(
    pod: Ref, container: str | None, line: str, snap: Facts, path: str = "", below: str = ""
) -> ValueSource:
    """Return the place of the Pod's spec, ConfigMaps or Secrets that sets a name of the line; empty if none
    does.

    path: the subject of the line, if known. below: the lines below it, which may have the value itself.
    """
    if pod.kind != "Pod" or not line:
        return ValueSource()
    wants: tuple[Want, ...] = ()
    for told in _look_up(pod, container, line, snap, path, below):
        wants = unique((*wants, *told.wants))
        if told.says.en:
            return replace(told, wants=wants)
    return ValueSource(wants=wants)


def _look_up(
    pod: Ref, container: str | None, line: str, snap: Facts, path: str, below: str
) -> Iterator[ValueSource]:
    """Yield what each look-up finds, the surest first; the next one runs only if it is asked for."""
    held = find_settings(pod, container, snap)
    yield _find_literal(pod, container, line, held, snap)
    yield find_path_given(pod, container, line, snap, path)
    yield find_alias(pod, line, snap)
    yield _find_shared(pod, line, snap)
    yield _find_address(pod, container, line, held, snap)
    yield find_setting_given(pod, container, line, snap)
    yield _find_configuration(pod, container, line, snap)
    yield _find_address(pod, container, below, held, snap)
    yield find_misspelt(pod, container, snap)


def _find_configuration(pod: Ref, container: str | None, line: str, snap: Facts) -> ValueSource:
    """Return the key with the configuration that the container's arguments name, for words about that."""
    return find_given_file(pod, container, 0, snap) if _CONFIGURATION.search(line) else ValueSource()


def join_given(place: Text, told: ValueSource) -> Text:
    """Return the clause about a path's volume and the one about what was given, which may begin with it."""
    return told.says if place.en and told.says.en.startswith(place.en) else place + told.says


def _find_literal(
    pod: Ref, container: str | None, line: str, held: ContainerSettings | None, snap: Facts
) -> ValueSource:
    """Return the variable that the program got as its name, `$PORT`, in place of its value."""
    name = next((n for n in held.literal if f"${n}" in line or f"${{{n}}}" in line), "") if held else ""
    spec = find_container_spec(pod, container, snap)
    if not name or spec is None:
        return ValueSource()
    place = find_variable_place(pod, container, name, snap)
    is_set = say("; {variable} is set", variable=place) if name in spec.env else say("; it is not set either")
    return ValueSource(
        say(
            "; its arguments or variables hold ${name} as it is written: the kubelet expands $({name}) only, "
            "and no shell starts the program",
            name=name,
        )
        + is_set,
        say("write $({name}) in place of ${name}", name=name)
        if name in spec.env
        else say("write $({name}) in place of ${name}, and set variable {name}", name=name),
    )


def find_alias(pod: Ref, line: str, snap: Facts) -> ValueSource:
    """Return the entry of the Pod's hostAliases with a name or an address of the line."""
    for alias in (a for f in snap.of(PodSettings, pod) for a in f.aliases):
        named = next((n for n in alias.names if stands_in(n, line)), "")
        if named or (alias.names and stands_in(alias.address, line)):
            name = named or alias.names[0]
            return ValueSource(
                say(
                    "; spec.hostAliases of the Pod gives {name} the address {address}, and no name server is "
                    "asked for it",
                    name=name,
                    address=alias.address,
                ),
                say(
                    "correct the address of {name} in spec.hostAliases, or remove that entry, so that DNS "
                    "resolves the name",
                    name=name,
                ),
            )
    return ValueSource()


def _find_shared(pod: Ref, line: str, snap: Facts) -> ValueSource:
    """Return the Pod's setting by which no program of its containers is process 1."""
    if not _FIRST.search(line) or not any(f.shared for f in snap.of(PodSettings, pod)):
        return ValueSource()
    return ValueSource(
        say(
            "; the Pod has shareProcessNamespace: true, so that process 1 is the sandbox's own, and no "
            "container's"
        ),
        say(
            "remove shareProcessNamespace from the Pod's spec, or use an image whose init need not be "
            "process 1"
        ),
    )


def _find_address(
    pod: Ref, container: str | None, line: str, held: ContainerSettings | None, snap: Facts
) -> ValueSource:
    """Return the variable or key that has a host of the line in its value."""
    if held is None:
        return ValueSource()
    maps = unique(v.object for v in held.variables if v.object.kind == "ConfigMap")
    names = unique(
        (
            *(a.key for a in held.addresses if _is_meant(a, line)),
            *(
                v.name
                for v in held.variables
                for f in snap.of(Keys, v.object)
                for a in f.addresses
                if a.key == v.key and _is_meant(a, line)
            ),
        )
    )[:_SHOWN]
    wants = tuple(Want(Keys, ref) for ref in maps if not snap.of(Keys, ref))
    if not names:
        return ValueSource(wants=wants)
    where = join_texts(find_variable_place(pod, container, name, snap) for name in names)
    if "missing port in address" in line:
        return ValueSource(
            say("; that address is the value of {where}: it has no port", where=where),
            say("write HOST:PORT in {where}", where=where),
            wants,
            names,
        )
    return ValueSource(
        say("; this address stands in {where}", where=where),
        say("correct the address in {where}", where=where),
        wants,
        names,
    )


def _is_meant(one: KeyAddress, line: str) -> bool:
    """Tell whether the line is about this host: its name could be a word of the language."""
    if is_local(one.host):
        return False
    plain = re.fullmatch(r"[A-Za-z]+", one.host)
    at = line.find(one.host)
    while at >= 0:
        before, after = line[:at], line[at + len(one.host) :]
        whole = not (before[-1:].isalnum() or before[-1:] in ".-_") and not (
            after[:1].isalnum() or after[:1] in "-_"
        )
        if whole and (not plain or (_BEFORE.search(before) and _AFTER.match(after))):
            return True
        at = line.find(one.host, at + 1)
    return False


def is_local(host: str) -> bool:
    """Tell whether a host is the Pod itself."""
    return host in _LOCAL


def stands_in(name: str, line: str) -> bool:
    """Tell whether the line has this name or address, and not as a part of a longer one."""
    return bool(name) and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", line) is not None
