"""Find the source of a variable or mounted file that a program's message names: the key of a ConfigMap or
Secret. Names of keys only, never a value.
"""

from __future__ import annotations

import re

from unstuck.causes._key_files import find_file_source, list_keys, pick_key
from unstuck.causes._value_source import ValueSource
from unstuck.causes._variables import list_variables, list_whole_objects, name_object, read_keys
from unstuck.causes.config._missing import is_absent
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, list_names
from unstuck.facts.aspects.objects import Keys, Names, Presence
from unstuck.facts.aspects.pod import Complaint, Needs, Volumes
from unstuck.facts.aspects.settings import PodSettings, VariableSource
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Keys, Names, Needs, PodSettings, Presence, Volumes})
_SHOWN = 4
# Errors about a setting that a program reads from its environment.
_OF_VARIABLE: tuple[ProgramError, ...] = ("variable-missing", "setting-missing")
# Errors about a file that a program could read.
_OF_FILE: tuple[ProgramError, ...] = ("config-unparsable", "crashed")
# MySQL's ER_ACCESS_DENIED_ERROR; PostgreSQL libpq (fe-connect.c).
_NO_PASSWORD = regex(r"using password: NO\b|no password supplied")
# Names of variables and keys that hold a login.
_LOGIN = regex(
    r"pass|pwd|token|credential|api_?key|dsn|(?:database|db|broker|redis|amqp|mongo\w*)_ur[il]$", re.I
)


def find_source(pod: Ref, container: str | None, said: Complaint, snap: Facts) -> ValueSource:
    """Return the container's source of the value that this message names; empty if that is not one key."""
    if said.error in _OF_VARIABLE:
        return _find_variable_source(pod, container, said.name, snap)
    if said.error == "value-refused" and not said.resource:
        return _find_given_source(pod, container, said.name, snap)
    if said.error == "credentials-refused":
        return _find_login_source(pod, container, said, snap)
    if said.error in (*_OF_FILE, "file-missing"):
        return find_file_source(pod, container, said, snap)
    return ValueSource()


def _find_variable_source(pod: Ref, container: str | None, name: str, snap: Facts) -> ValueSource:
    found = next((v for v in list_variables(pod, container, snap) if v.name == name), None)
    if found is None:
        return _find_whole_source(pod, container, name, snap)
    of = name_object(found.object)
    optional = any(
        n.optional
        for f in snap.of(Needs, pod)
        for n in f.items
        if n.by == "env" and n.container == container and n.object == found.object and n.key == found.key
    )
    clause = say("; {name} comes from key {key} of {of}", name=name, key=found.key, of=of)
    clause += say(", which may be absent (optional: true)") if optional else NO_TEXT
    gone, keys = is_absent(snap, found.object), read_keys(found.object, snap)
    wants = (*gone.wants, *(() if gone.value or keys else (Want(Keys, found.object),)))
    if gone.value:
        return ValueSource(
            clause + say(": that {kind} does not exist", kind=found.object.kind),
            say("create {of} with key {key}, or correct its name in the template", of=of, key=found.key),
            wants,
        )
    if keys and found.key not in keys.names:
        return ValueSource(
            clause + say(": there is no such key") + list_keys(found.key, keys),
            say("add key {key} to {of}, or correct the key's name in the template", of=of, key=found.key),
            wants,
        )
    if keys:
        return ValueSource(
            clause, say("give key {key} of {of} a value: the key exists", of=of, key=found.key), wants
        )
    return ValueSource(
        clause, say("make sure that {of} exists and has key {key}", of=of, key=found.key), wants
    )


def _find_given_source(pod: Ref, container: str | None, name: str, snap: Facts) -> ValueSource:
    """Return the key that a variable gets its value from; empty if unknown."""
    own = next((v for v in list_variables(pod, container, snap) if v.name == name), None)
    refs = () if own else list_whole_objects(pod, container, snap)
    held = [(ref, read_keys(ref, snap)) for ref in refs]
    if own is None and (unread := unique(Want(Keys, ref) for ref, keys in held if keys is None)):
        return ValueSource(wants=unread)
    # The last of several objects with a key gives its value (core/v1, EnvFromSource).
    whole = next((ref for ref, keys in reversed(held) if keys and name in keys.names), None)
    of, key = (own.object, own.key) if own else (whole, name)
    if of is None:
        return ValueSource()
    return ValueSource(
        say("; {name} comes from key {key} of {of}", name=name, key=key, of=name_object(of)),
        say(
            "give key {key} of {of} such a value, then restart the Pod: variables are read at its start",
            key=key,
            of=name_object(of),
        ),
    )


def _find_whole_source(pod: Ref, container: str | None, name: str, snap: Facts) -> ValueSource:
    """Return the object that is taken whole and is missing, or lacks the key; empty if another may have
    it.
    """
    spec = find_container_spec(pod, container, snap)
    refs = list_whole_objects(pod, container, snap)
    if not refs or not name or spec is None or name in spec.env:
        return ValueSource()
    gone = next((ref for ref in refs if is_absent(snap, ref).value), None)
    if gone:
        return ValueSource(
            say("; the container takes all keys of {of}, which does not exist", of=name_object(gone)),
            say("create {of} with key {key}", of=name_object(gone), key=name),
        )
    held = [(ref, read_keys(ref, snap)) for ref in refs]
    wants = unique(
        want for ref, keys in held if keys is None for want in (*is_absent(snap, ref).wants, Want(Keys, ref))
    )
    # With a prefix a key is the end of the variable's name.
    if wants or any(name.endswith(key) for _, keys in held if keys for key in keys.names):
        return ValueSource(wants=wants)
    every = list_names(f"{ref.kind} {ref.name}" for ref, _ in held[:_SHOWN])
    clause = say("; the container takes all keys of {every}: there is no key {key}", every=every, key=name)
    listed = list_keys(name, held[0][1]) if len(held) == 1 and held[0][1] else NO_TEXT
    for ref, keys in held:
        if keys and (near := pick_key(name, keys.names)):
            return ValueSource(
                clause + say("; {near} exists in {of}", near=near[0], of=name_object(ref)),
                say(
                    "rename key {near} of {of} to {key}, if that is meant",
                    near=near[0],
                    of=name_object(ref),
                    key=name,
                ),
            )
    return ValueSource(clause + listed, say("add key {key} to {of}", key=name, of=name_object(held[0][0])))


def _find_login_source(pod: Ref, container: str | None, said: Complaint, snap: Facts) -> ValueSource:
    user = said.name
    held = unique(
        v
        for v in list_variables(pod, container, snap)
        if v.object.kind == "Secret" and (_LOGIN.search(v.name) or _LOGIN.search(v.key))
    )
    whole = unique(ref for ref in list_whole_objects(pod, container, snap) if ref.kind == "Secret")
    read = [(ref, read_keys(ref, snap)) for ref in whole]
    if wants := tuple(Want(Keys, ref) for ref, keys in read if keys is None):
        return ValueSource(wants=wants)
    held += tuple(
        VariableSource(key, ref, key)
        for ref, keys in read
        if keys
        for key in keys.names
        if _LOGIN.search(key)
    )
    # With several logins the refused one is unknown.
    if not held or len({v.object for v in held}) > 1 or len(held) > _SHOWN:
        return ValueSource()
    of, keys = name_object(held[0].object), list_names(unique(v.key for v in held))
    names = list_names(unique(v.name for v in held))
    if _NO_PASSWORD.search(said.line):
        return ValueSource(
            say(
                "; it sent no password; variable {names} (key {keys} of {of}) is set, and not used",
                keys=keys,
                of=of,
                names=names,
            ),
            say(
                "give it the password in the variable that it reads; it does not read {names}",
                names=names,
            ),
        )
    record_of = say(" of user {user}", user=user) if user else NO_TEXT
    return ValueSource(
        say(
            "; the login that its variables hold is key {keys} of {of} ({names})",
            keys=keys,
            of=of,
            names=names,
        ),
        say(
            "make key {keys} of {of} and the server's own record{record} agree: change the one that was left "
            "behind; variables are read at the start of a run",
            keys=keys,
            of=of,
            record=record_of,
        ),
    )
