"""The key of a ConfigMap or Secret behind a path in a container: whether it is there, and what is like it."""

from __future__ import annotations

import re

from unstuck.causes._path_volume import find_paths, find_volume, name_volume
from unstuck.causes._value_source import ValueSource
from unstuck.causes._variables import name_object, read_keys
from unstuck.causes.config._missing import is_absent
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.pod import Complaint, Needs
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import find_container_spec, find_key_object
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_SHOWN = 4


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


def find_file_source(pod: Ref, container: str | None, said: Complaint, snap: Facts) -> ValueSource:
    """Return the key behind the file that the message names; if it names none, and is about a configuration,
    the one that the container's arguments name.
    """
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
    ref = find_key_object(pod, volume) if volume else None
    if volume is None or ref is None:
        return ValueSource()
    rest = _find_rest(pod, container, path, volume.name, snap)
    files = {i.path: i.key for f in snap.of(PodSettings, pod) for i in f.files if i.volume == volume.name}
    if files and rest and rest not in files:
        return _find_unlisted(path, rest, files, ref) if missing else ValueSource()
    key = files.get(rest, rest)
    if not key or "/" in key:
        return ValueSource()
    return _find_key_source(pod, path, key, ref, snap, missing=missing)


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


def _find_key_source(pod: Ref, path: str, key: str, ref: Ref, snap: Facts, *, missing: bool) -> ValueSource:
    keys, of = read_keys(ref, snap), name_object(ref)
    if keys is None:
        gone = is_absent(snap, ref)
        if gone.value:
            optional = any(n.object == ref and n.optional for f in snap.of(Needs, pod) for n in f.items)
            return ValueSource(
                say(", which does not exist, and need not (optional: true)")
                if optional
                else say(", which does not exist"),
                say("create {of} with key {key}", of=of, key=key),
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
    says = say(", which has no key {key}", key=key) + list_keys(key, keys)
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


def pick_key(name: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys most like a variable's name: the same but for case and separators first."""
    same = tuple(key for key in keys if _plain(key) == _plain(name))
    return same or pick_nearest(name, keys)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _choose_nearest(key: str, keys: Keys) -> tuple[str, ...]:
    """Return the keys most like this one: alike as a whole, or one within the other."""
    plain = _plain(key)
    within = (n for n in keys.names if plain and plain in _plain(n))
    alike = unique((*pick_nearest(key, keys.names), *within))
    return tuple(sorted(alike, key=lambda name: _is_private(name) != _is_private(key)))


def _is_private(key: str) -> bool:
    """Tell whether a file holds a private key, by its name: a certificate's is as long and much alike."""
    return key.lower().endswith((".key", "-key.pem", "_key.pem"))


def list_keys(key: str, keys: Keys) -> Text:
    """Return the existing keys, the nearest first."""
    names = unique((*_choose_nearest(key, keys), *keys.names))[:_SHOWN]
    if not names:
        return say("; it has no key at all")
    return say("; its keys: {names}", names=list_names(names))
