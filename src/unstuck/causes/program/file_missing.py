"""The program ends because a file that it needs does not exist

## How it happens

The program opens a file that it needs, finds none, and gives up: the path in its settings is misspelled, a
volume is mounted elsewhere or over the directory, a ConfigMap or Secret has the key under another name, a
build stage did not copy the file, or an init container did not write it.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `No such file or
directory`, `ENOENT` or `FileNotFoundException`, usually with the path.

## Known limits

For a path in a ConfigMap or Secret that is mounted whole, the keys are compared, and the nearest is named; a
file of the image, or below `items`, is not looked at. A path is found in the values of ConfigMaps and
variables that the container uses, and not in a Secret's. For a path in an emptyDir, the logs of the other
containers that mount it are read. The cause stays likely.

## References

- Linux errno(3), ENOENT
"""

from __future__ import annotations

from unstuck.causes import _neighbour_log
from unstuck.causes._neighbour_log import read_neighbour
from unstuck.causes._path_volume import find_paths, find_volume
from unstuck.causes._value_source import ValueSource
from unstuck.causes.program._plain import NEXT_RUN, look_at_mounts, make_plain_signs, mend
from unstuck.causes.program._socket import find_socket, look_for_listener
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, list_names
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pod import Containers, LastLines
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

say = Messages(__name__)

# A program that makes a socket, and does not look for one: bind(2) reports ENOENT for its directory.
_BINDS = regex(r"(?i)\b(?:bind|binding|listen|listening)\b.{0,80}(?:\.sock\b|\bunix\b|/\.s\.)")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("file-missing",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    path = one.complaint.path
    if path and _BINDS.search(one.complaint.line):
        return _make_unbound_finding(pod, one, path, snap)
    if path and find_socket(one.complaint.line) == path:
        return _make_socket_finding(pod, one, path)
    means = say("{path} is not there", path=path) if path else say("a file that it needs does not exist")
    volume = find_volume(pod, one.run.name or None, path, snap) if path else None
    if volume is not None and volume.type == "emptyDir":
        return _make_unwritten_finding(pod, one, means, volume.name, snap)
    step = mend(
        say(
            "if the file is in the image or in a volume under another path: correct the path; if it is "
            "nowhere: mount it, or build it into the image"
        )
    )
    return make_finding(pod, one, means, (look_at_mounts(pod), step))


def _make_unwritten_finding(pod: Ref, one: ProgramMessage, means: Text, volume: str, snap: Facts) -> Finding:
    """Return the finding for a file below an emptyDir, which is empty until another container writes it."""
    others = unique(
        c.name
        for f in snap.of(Containers, pod)
        for c in f.items
        if c.name != one.run.name and any(name == volume for _, name in c.mounts)
    )
    path = one.complaint.path
    if not others:
        means += say("; nothing else of the Pod mounts {volume}, which is empty at its start", volume=volume)
        step = mend(
            say(
                "have an init container that mounts emptyDir {volume} write {path}, or mount what holds the "
                "file instead",
                volume=volume,
                path=path,
            )
        )
        return make_finding(pod, one, means, (step,))
    names = list_names(others)
    means += say(
        "; {containers} {n:mounts|mount} it, too, and should write it", containers=names, n=len(others)
    )
    told = read_neighbour(
        pod, snap, NEXT_RUN, (path, path.rpartition("/")[2]), lambda line: line.container in others
    )
    if not told.about and (wrote := _find_written(pod, one, volume, others, snap)).says.en:
        return make_finding(pod, one, means + wrote.says, (mend(wrote.change),), enrich=told.wants)
    write = mend(say("have container {containers} write {path}", containers=names, path=path))
    return make_finding(
        pod,
        one,
        means + told.says,
        told.help or (write,),
        enrich=(*told.wants, *_ask_for_logs(pod, others, snap)),
        seen=told.seen,
        culprit=told.culprit if told.about else None,
    )


def _ask_for_logs(pod: Ref, names: tuple[str, ...], snap: Facts) -> tuple[Want, ...]:
    logs = (Want(LastLines, make_container_ref(pod, name)) for name in names)
    return tuple(want for want in logs if not snap.answered(want) and not snap.of(LastLines, want.about))


def _find_written(
    pod: Ref, one: ProgramMessage, volume: str, others: tuple[str, ...], snap: Facts
) -> ValueSource:
    """Return the file of nearly that name which another container says in its log that it wrote."""
    wanted = _place_in_volume(pod, one.run.name or None, volume, one.complaint.path, snap)
    for name in others if wanted else ():
        logs = snap.of(LastLines, make_container_ref(pod, name))
        for path in (p for f in logs for line in reversed(f.lines) for p in find_paths(line)):
            there = _place_in_volume(pod, name, volume, path, snap)
            if there and there != wanted and _is_near(there, wanted):
                return ValueSource(
                    say(
                        "; container {name} names {path} in its log, another file of the same volume",
                        name=name,
                        path=path,
                    ),
                    say(
                        "let both use the same name: container {name} writes {there}, and this one reads "
                        "{wanted}",
                        name=name,
                        there=there,
                        wanted=wanted,
                    ),
                )
    return ValueSource()


def _place_in_volume(pod: Ref, container: str | None, volume: str, path: str, snap: Facts) -> str:
    """Return the path in the volume of a path in the container; "" for one elsewhere."""
    spec = find_container_spec(pod, container, snap)
    return next(
        (
            path[len(at.rstrip("/")) :].strip("/")
            for at, name in (spec.mounts if spec else ())
            if name == volume and is_at_or_below(path, at)
        ),
        "",
    )


def _is_near(there: str, wanted: str) -> bool:
    """Tell whether two files may be meant as one: the same name in another directory, or with another ending,
    or nearly the same.
    """
    name, other = (p.rpartition("/")[2] for p in (there, wanted))
    return (
        name == other
        or name.partition(".")[0] == other.partition(".")[0]
        or bool(pick_nearest(wanted, (there,)))
    )


def _make_unbound_finding(pod: Ref, one: ProgramMessage, path: str, snap: Facts) -> Finding:
    """Return the finding for a socket that the program itself was to make: bind(2) makes no directory."""
    directory = path.rpartition("/")[0] or "/"
    means = say(
        "it is to make socket {path}, and directory {directory} does not exist",
        path=path,
        directory=directory,
    )
    if find_volume(pod, one.run.name or None, directory, snap):
        make = mend(
            say(
                "have an init container that mounts the same volume make {directory}, or set a path in a "
                "directory that exists",
                directory=directory,
            )
        )
        return make_finding(pod, one, means, (make,))
    mount = mend(
        say(
            "mount an emptyDir at {directory}, in each container that uses the socket; or make the directory "
            "in the image or before the program starts",
            directory=directory,
        )
    )
    return make_finding(pod, one, means, (mount,))


def _make_socket_finding(pod: Ref, one: ProgramMessage, path: str) -> Finding:
    """Return the finding for a socket: only its listening program creates it."""
    means = say(
        "socket {path} does not exist: the program that creates it and listens there is not running",
        path=path,
    )
    step = mend(
        say(
            "start the program that listens there, its own log says what stops it; if it is running, let "
            "both use the same path in a volume that both mount"
        )
    )
    return make_finding(pod, one, means, (look_for_listener(pod), step))


CAUSE = Cause(
    id="program.file-missing",
    title=say("the program ends because a file that it needs does not exist"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | _neighbour_log.READS,
    rule=_rule,
)
