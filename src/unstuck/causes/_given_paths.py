"""A path in a program's words, and what the Pod has there: the keys of the mounted object, a volume that is
mounted elsewhere, and the variable, option or key that tells the program this path.
"""

from __future__ import annotations

from unstuck.causes._key_files import find_key_line, find_key_source
from unstuck.causes._path_volume import find_paths, find_volume
from unstuck.causes._value_source import ValueSource
from unstuck.causes._variables import find_variable_place, name_object, read_keys
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.pod import Containers, PodVolume, Volumes
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec, find_key_object
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Containers, Keys, PodSettings, Volumes})
# Words about a path that is missing there.
_MISSED = regex(
    r"(?i)no such file|invalid path|not found|(?:does|do)(?:n't| not) exist|ENOENT|is not there|missing"
    r"|failed to (?:open|read|load|find)|(?:can|could) ?(?:not|n't|'t) (?:open|find|read|load|stat|access)"
    r"|unable to (?:open|find|read|load|stat)|not (?:a )?(?:readable|file)|exists\W{0,3} FAILED"
)
# `cannot create /x/y: nonexistent directory` (busybox), `Directory nonexistent` (dash).
_CREATES = regex(
    r"(?i)(?:can't|cannot|could not|unable to|failed to) create (?:(?:regular )?file )?[\"'`‘]?"
    r"(?P<path>/[\w./@+-]{1,200}[\w-]).{0,4}(?:nonexistent directory|directory nonexistent|no such file)"
)
# `/etc/x/y.conf:12`, `/etc/x/y.conf, line 12`.
_AT = regex(
    r"(?P<path>/(?:[\w.@+-]{1,100}/){1,12}[\w.@+-]{0,100}[\w-])"
    r"(?::|[\"',:]? .{0,60}?\bline )(?P<at>\d{1,6})\b"
)
# SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, VAULT_CACERT, --tls-ca-file.
_TRUST = regex(r"(?i)(?:^|[_-])ca(?:[_-]|cert|file|bundle|path|$)|ssl_cert|trust|root_?cert|cacert")
_SOCKET = regex(r"(?i)socket|\bunix\b|\.sock\b|/\.s\.")
_MAPS = 4


def find_path_given(pod: Ref, container: str | None, line: str, snap: Facts, path: str = "") -> ValueSource:
    """Return what the Pod has at a path of the line that is missing; empty for other lines."""
    if made := _CREATES.search(line):
        return _find_uncreated(pod, container, made["path"], snap)
    of_line = _find_line(pod, container, line, snap)
    if of_line.says.en or not _MISSED.search(line):
        return of_line
    wants = of_line.wants
    for named in unique((*((path,) if path else ()), *find_paths(line))):
        if find_volume(pod, container, named, snap):
            told = find_key_source(pod, container, named, snap)
        else:
            told = _find_elsewhere(pod, container, named, snap)
        wants = unique((*wants, *told.wants))
        if told.says.en:
            return ValueSource(told.says, told.change, wants)
    place = _find_place(pod, container, line, snap)
    if not place.en:
        return ValueSource(wants=wants)
    return ValueSource(
        say("; this path stands in {place}", place=place) + _tell_shared(pod, container, line, snap),
        say("correct the path in {place}, or mount what the program needs there", place=place),
        wants,
    )


def _find_line(pod: Ref, container: str | None, line: str, snap: Facts) -> ValueSource:
    """Return the key whose line the message names, `Corefile:3`; empty without one, or if another path is
    missing.
    """
    wants: tuple[Want, ...] = ()
    for found in _AT.finditer(line):
        told = find_key_line(pod, container, found["path"], int(found["at"]), snap)
        wants = unique((*wants, *told.wants))
        if told.says.en and not _MISSED.search(line.replace(found[0], "")):
            return told
    return ValueSource(wants=wants)


def _find_uncreated(pod: Ref, container: str | None, path: str, snap: Facts) -> ValueSource:
    """Return the directory that a program wants to write to, which is not there."""
    directory = path.rpartition("/")[0] or "/"
    if find_volume(pod, container, directory, snap):
        return ValueSource()
    return ValueSource(
        say("; directory {directory} does not exist, and no volume is mounted there", directory=directory),
        say(
            "mount a volume at {directory} (emptyDir, if what is written there may be lost with the Pod), or "
            "make the directory in the image",
            directory=directory,
        ),
    )


def _find_elsewhere(pod: Ref, container: str | None, path: str, snap: Facts) -> ValueSource:
    """Return the volume of the container that has a key of this name, or that another container has there."""
    place = _find_place(pod, container, path, snap)
    stands = say("; this path stands in {place}", place=place) if place.en else NO_TEXT
    name = path.rpartition("/")[2]
    mounted = list(_list_key_volumes(pod, container, snap))
    wants = tuple(Want(Keys, ref) for _, _, ref in mounted if read_keys(ref, snap) is None)
    for at, volume, ref in mounted:
        keys = read_keys(ref, snap)
        if keys and name in keys.names:
            meant = f"{at.rstrip('/')}/{name}"
            where = place if place.en else say("the program's settings")
            return ValueSource(
                say(
                    "; key {key} of {of} (volume {volume}) is mounted as {meant}",
                    key=name,
                    of=name_object(ref),
                    volume=volume.name,
                    meant=meant,
                )
                + stands,
                say(
                    "set the path to {meant} in {where}, or mount volume {volume} at {directory}",
                    meant=meant,
                    where=where,
                    volume=volume.name,
                    directory=path.removesuffix(f"/{name}"),
                ),
                wants,
            )
    if other := _find_other(pod, container, path, snap):
        neighbour, at, volume_name = other
        return ValueSource(
            say(
                "; container {neighbour} mounts volume {volume} at {at}, and this one does not",
                neighbour=neighbour,
                volume=volume_name,
                at=at,
            )
            + stands,
            say("mount volume {volume} at {at} in this container, too", volume=volume_name, at=at),
            wants,
        )
    return ValueSource(wants=wants)


def find_trust_given(pod: Ref, container: str | None, snap: Facts) -> ValueSource:
    """Return the authority's file that the container is told to trust, and that the mounted object lacks."""
    wants: tuple[Want, ...] = ()
    for held in (c for f in snap.of(PodSettings, pod) for c in f.items if c.name == container):
        for one in (p for p in held.paths if _TRUST.search(p.key)):
            told = find_key_source(pod, container, one.path, snap)
            wants = unique((*wants, *told.wants))
            if told.says.en:
                place = say("; {place} names its authorities", place=_name_place(pod, held, one.key, snap))
                return ValueSource(place + told.says, told.change, wants)
    return ValueSource(wants=wants)


def _list_key_volumes(pod: Ref, container: str | None, snap: Facts) -> list[tuple[str, PodVolume, Ref]]:
    """Return the directories of the container that hold the keys of an object."""
    spec = find_container_spec(pod, container, snap)
    volumes = {v.name: v for f in snap.of(Volumes, pod) for v in f.items}
    return [
        (at, volumes[name], ref)
        for at, name in (spec.mounts if spec else ())
        if name in volumes and (ref := find_key_object(pod, volumes[name]))
    ][:_MAPS]


def _find_other(pod: Ref, container: str | None, path: str, snap: Facts) -> tuple[str, str, str] | None:
    """Return another container of the Pod that has a volume at or above the path."""
    return next(
        (
            (c.name, at, volume)
            for f in snap.of(Containers, pod)
            for c in f.items
            if c.name != container
            for at, volume in c.mounts
            if at != "/" and is_at_or_below(path, at)
        ),
        None,
    )


def _find_place(pod: Ref, container: str | None, line: str, snap: Facts) -> Text:
    """Return the variable, the option or the key with a path that the line names, the longest first; empty
    without one.
    """
    found: list[tuple[int, Text]] = []
    for held in (c for f in snap.of(PodSettings, pod) for c in f.items if c.name == container):
        found += [
            (len(p.path), _name_place(pod, held, p.key, snap)) for p in held.paths if names_path(line, p.path)
        ]
        for v in (v for v in held.variables if v.object.kind == "ConfigMap"):
            found += [
                (len(p.path), find_variable_place(pod, container, v.name, snap))
                for f in snap.of(Keys, v.object)
                for p in f.paths
                if p.key == v.key and names_path(line, p.path)
            ]
    for _, _, ref in _list_key_volumes(pod, container, snap):
        found += [
            (len(p.path), say("key {key} of {of}", key=p.key, of=name_object(ref)))
            for f in snap.of(Keys, ref)
            for p in f.paths
            if names_path(line, p.path)
        ]
    return max(found, key=lambda one: one[0])[1] if found else NO_TEXT


def _name_place(pod: Ref, held: ContainerSettings, key: str, snap: Facts) -> Text:
    if not key:
        return say("the arguments of container {name}", name=held.name)
    if key.startswith("-"):
        return say("option {option} of container {name}", option=key, name=held.name)
    return find_variable_place(pod, held.name, key, snap)


def names_path(line: str, path: str) -> bool:
    """Tell whether the line names this path or one below it."""
    at = line.find(path)
    before, after = line[at - 1 : at] if at > 0 else "", line[at + len(path) : at + len(path) + 1]
    return (
        at >= 0
        and not (before.isalnum() or before in ("/", ".", "-", "_"))
        and not (after.isalnum() or after in ("-", "_"))
    )


def _tell_shared(pod: Ref, container: str | None, line: str, snap: Facts) -> Text:
    """Return where the container has the directory that it shares with another, for a path elsewhere."""
    socket = _SOCKET.search(line) is not None
    spec = find_container_spec(pod, container, snap)
    empty = {v.name for f in snap.of(Volumes, pod) for v in f.items if v.type == "emptyDir"}
    for at, volume in spec.mounts if spec else ():
        other = next(
            (
                (c.name, place)
                for f in snap.of(Containers, pod)
                for c in f.items
                if c.name != container and not (socket and c.kind == "init")
                for place, name in c.mounts
                if name == volume and volume in empty
            ),
            None,
        )
        if other:
            return say(
                "; emptyDir {volume} is at {at} here, and at {place} in container {name}",
                volume=volume,
                at=at,
                place=other[1],
                name=other[0],
            )
    return NO_TEXT
