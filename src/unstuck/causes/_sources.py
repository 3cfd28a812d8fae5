"""Find the source of a variable or mounted file that a program's message names: the key of a ConfigMap or
Secret. Names of keys only, never a value.
"""

from __future__ import annotations

import re

from unstuck.causes._path_volume import find_paths, find_volume, name_volume
from unstuck.causes._variables import list_variables, name_object, read_keys
from unstuck.causes.config._missing import is_absent
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.facts.aspects.objects import Keys, Names, Presence
from unstuck.facts.aspects.pod import Complaint, Needs, Volumes
from unstuck.facts.aspects.settings import PodSettings, VariableSource
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Keys, Names, Needs, PodSettings, Presence, Volumes})
_KINDS = {"secret": "Secret", "configMap": "ConfigMap"}
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


@record()
class ValueSource(Record):
    """The source of a value. says: a clause, which continues the one about the volume. change: the change to
    make there; empty if unknown. variables: those that it is about, if they were
    inferred from the words.
    """

    says: Text = NO_TEXT
    change: Text = NO_TEXT
    wants: tuple[Want, ...] = ()
    variables: tuple[str, ...] = ()


NOTHING_GIVEN = ValueSource()


def find_source(pod: Ref, container: str | None, said: Complaint, snap: Facts) -> ValueSource:
    """Return the container's source of the value that this message names; empty if that is not one key."""
    if said.error in _OF_VARIABLE:
        return _find_variable_source(pod, container, said.name, snap)
    if said.error == "value-refused" and not said.resource:
        return _find_given_source(pod, container, said.name, snap)
    if said.error == "credentials-refused":
        return _find_login_source(pod, container, said, snap)
    if said.error in (*_OF_FILE, "file-missing"):
        return _find_file_source(pod, container, said, snap)
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
            clause + say(": there is no such key") + _list_keys(found.key, keys),
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
    needs = [
        n for f in snap.of(Needs, pod) for n in f.items if n.by == "envFrom" and n.container == container
    ]
    held = [(n.object, read_keys(n.object, snap)) for n in ([] if own else needs)]
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
    needs = [
        n for f in snap.of(Needs, pod) for n in f.items if n.by == "envFrom" and n.container == container
    ]
    if not needs or not name or spec is None or name in spec.env:
        return ValueSource()
    gone = next((n for n in needs if is_absent(snap, n.object).value), None)
    if gone:
        return ValueSource(
            say("; the container takes all keys of {of}, which does not exist", of=name_object(gone.object)),
            say("create {of} with key {key}", of=name_object(gone.object), key=name),
        )
    held = [(n.object, read_keys(n.object, snap)) for n in needs]
    wants = unique(
        want for ref, keys in held if keys is None for want in (*is_absent(snap, ref).wants, Want(Keys, ref))
    )
    # With a prefix a key is the end of the variable's name.
    if wants or any(name.endswith(key) for _, keys in held if keys for key in keys.names):
        return ValueSource(wants=wants)
    every = list_names(f"{ref.kind} {ref.name}" for ref, _ in held[:_SHOWN])
    clause = say("; the container takes all keys of {every}: there is no key {key}", every=every, key=name)
    listed = _list_keys(name, held[0][1]) if len(held) == 1 and held[0][1] else NO_TEXT
    for ref, keys in held:
        if keys and (near := pick_nearest(name, keys.names)):
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
    whole = unique(
        n.object
        for f in snap.of(Needs, pod)
        for n in f.items
        if n.by == "envFrom" and n.container == container and n.object.kind == "Secret"
    )
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


def find_key_source(pod: Ref, container: str | None, path: str, snap: Facts) -> ValueSource:
    """Return the key that a mounted object lacks at this path; the clause begins with the path. Empty if it
    has the key, or no object of keys is mounted there.
    """
    volume = find_volume(pod, container, path, snap)
    told = _find_file_at(pod, container, path, snap, missing=True)
    if volume is None or not told.says.en:
        return told
    place = say("; {path} lies in {volume}", path=path, volume=name_volume(pod, volume, snap))
    return ValueSource(place + told.says, told.change, told.wants)


def find_key_line(pod: Ref, container: str | None, path: str, at: int, snap: Facts) -> ValueSource:
    """Return the key behind a path whose line a message names; the clause begins with the path. Empty if no
    key is mounted there.
    """
    volume = find_volume(pod, container, path, snap)
    told = _find_file_at(pod, container, path, snap, missing=False)
    if volume is None or not told.change.en:
        return ValueSource(wants=told.wants)
    line = say(" (line {at})", at=at)
    place = say("; {path} lies in {volume}", path=path, volume=name_volume(pod, volume, snap))
    return ValueSource(place, told.change + line, told.wants)


def _find_file_source(pod: Ref, container: str | None, said: Complaint, snap: Facts) -> ValueSource:
    named = (said.path,) if said.path else find_paths(said.line)
    for path in named:
        if find_volume(pod, container, path, snap) is not None:
            return _find_file_at(pod, container, path, snap, missing=said.error == "file-missing")
    if named or said.error != "config-unparsable":
        return ValueSource()
    return find_given_file(pod, container, said.at, snap)


def find_given_file(pod: Ref, container: str | None, at: int, snap: Facts) -> ValueSource:
    """Return the file that the container's arguments name, if they name only one that a key holds: it is the
    configuration that a message without a path is about.
    """
    told = {
        path: _find_file_at(pod, container, path, snap, missing=False)
        for f in snap.of(PodSettings, pod)
        for c in f.items
        if c.name == container
        for path in unique(p.path for p in c.paths if not p.key or p.key.startswith("-"))
    }
    wants = unique(want for one in told.values() for want in one.wants)
    found = [(path, one) for path, one in told.items() if one.change.en]
    if len(found) != 1:
        return ValueSource(wants=wants)
    path, one = found[0]
    line = say(" (line {at})", at=at) if at else NO_TEXT
    return ValueSource(
        say("; its arguments name {path}", path=path), one.change + line, unique((*wants, *one.wants))
    )


def _find_file_at(pod: Ref, container: str | None, path: str, snap: Facts, *, missing: bool) -> ValueSource:
    volume = find_volume(pod, container, path, snap)
    if volume is None or volume.type not in _KINDS or not volume.what:
        return ValueSource()
    ref = Ref(_KINDS[volume.type], pod.within, volume.what)
    rest = _find_rest(pod, container, path, volume.name, snap)
    files = {i.path: i.key for f in snap.of(PodSettings, pod) for i in f.files if i.volume == volume.name}
    if files and rest and rest not in files:
        return _find_unlisted(path, rest, files, ref) if missing else ValueSource()
    key = files.get(rest, rest)
    return (
        _find_key_source(path, key, ref, snap, missing=missing) if key and "/" not in key else ValueSource()
    )


def _find_rest(pod: Ref, container: str | None, path: str, volume: str, snap: Facts) -> str:
    """Return the path in the volume; "" for its directory, or if that is unknown."""
    parts = [
        m.sub_path
        for f in snap.of(PodSettings, pod)
        for c in f.items
        if c.name == container
        for m in c.sub_paths
        if m.volume == volume and m.path == path
    ]
    if parts:
        return parts[0].strip("/")
    spec = find_container_spec(pod, container, snap)
    mounts = [at.rstrip("/") + "/" for at, name in (spec.mounts if spec else ()) if name == volume]
    return next((path.removeprefix(at) for at in mounts if path.startswith(at)), "")


def _find_unlisted(path: str, rest: str, files: dict[str, str], ref: Ref) -> ValueSource:
    """Return the files that the volume's items make, none of which is the missing one."""
    near = next(iter((*pick_nearest(rest, files), *files)))
    names = list_names(sorted(files)[:_SHOWN])
    return ValueSource(
        say(", whose items make of its keys only {names}", names=names),
        say(
            "set the path of the item for key {key} of {of} to {rest}, or let the program read {near}",
            key=files[near],
            of=name_object(ref),
            rest=rest,
            near=f"{path.removesuffix(rest)}{near}",
        ),
    )


def _find_key_source(path: str, key: str, ref: Ref, snap: Facts, *, missing: bool) -> ValueSource:
    keys, of = read_keys(ref, snap), name_object(ref)
    if keys is None:
        gone = is_absent(snap, ref)
        if gone.value:
            return ValueSource(
                say(", which does not exist"), say("create {of} with key {key}", of=of, key=key)
            )
        return ValueSource(wants=(*gone.wants, Want(Keys, ref)))
    if key in keys.names:
        return (
            ValueSource()
            if missing
            else ValueSource(NO_TEXT, say("correct key {key} of {of}", key=key, of=of))
        )
    if not missing:
        return ValueSource()
    alike = _choose_nearest(key, keys)
    near = next(iter((*alike, *keys.names)), "")
    at = path.removesuffix(key)
    change = (
        say(
            "set the path to an existing key, such as {near}, or add key {key} to {of}",
            near=f"{at}{near}",
            key=key,
            of=of,
        )
        if near and at != path
        else say("add key {key} to {of}", key=key, of=of)
    )
    says = say(", which has no key {key}", key=key) + _list_keys(key, keys)
    if alike or at == path or ref.kind != "ConfigMap":
        return ValueSource(says, change)
    directory = at.rstrip("/")
    return ValueSource(
        says + say("; mounted as a whole, it hides what the image has in {directory}", directory=directory),
        change
        + say(
            "; if {path} is a file of the image: mount each key alone with subPath, or {of} elsewhere",
            path=path,
            of=of,
        ),
    )


def _choose_nearest(key: str, keys: Keys) -> tuple[str, ...]:
    """Return the keys most like this one: alike as a whole, or one within the other."""
    plain = re.sub(r"[^a-z0-9]", "", key.lower())
    within = (n for n in keys.names if plain and plain in re.sub(r"[^a-z0-9]", "", n.lower()))
    alike = unique((*pick_nearest(key, keys.names), *within))
    return tuple(sorted(alike, key=lambda name: _is_private(name) != _is_private(key)))


def _is_private(key: str) -> bool:
    """Tell whether a file holds a private key, by its name: a certificate's is as long and much alike."""
    return key.lower().endswith((".key", "-key.pem", "_key.pem"))


def _list_keys(key: str, keys: Keys) -> Text:
    """Return the existing keys, the nearest first."""
    names = unique((*_choose_nearest(key, keys), *keys.names))[:_SHOWN]
    if not names:
        return say("; it has no key at all")
    return say("; its keys: {names}", names=list_names(names))
