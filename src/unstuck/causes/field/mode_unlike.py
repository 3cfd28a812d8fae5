"""A mounted file has a mode that its reader does not accept

## How it happens

The files of a Secret's volume have mode 0644 unless `defaultMode` sets another, and `fsGroup` lets a group
read them besides. Programs that keep a key (ssh, PostgreSQL, MySQL) refuse one that others can read. The
other way round, a file of mode 0400 belongs to root, and a program that runs as another user may not read it
without `fsGroup`.

## How to tell

A container's last lines say that the permissions are too open, or that reading is denied, and name a path in
such a volume with that mode.

## Known limits

A copy that the program made itself has another mode. Which user the image sets is not known where the Pod
sets none.

## References

- Kubernetes core/v1 SecretVolumeSource; pkg/volume/volume_linux.go (SetVolumeOwnership); ssh(1), authfile.c
  (sshkey_perm_ok)
"""

from __future__ import annotations

import re

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Signs, Step
from unstuck.facts.aspects.pod import Containers, Volumes
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

_TOO_OPEN = regex(
    r"too open|bad permissions|unprotected private key|group or world access|too permissive|(?:world"
    r"|group)[- ](?:readable|accessible)|"
    r"permissions .{0,60}(?:should|must) be|must not be (?:accessible|readable) by|accessible by others"
    r"|unsafe permissions",
    re.IGNORECASE,
)
_DENIED = regex(r"permission denied|\bEACCES\b|access is denied|AccessDenied", re.IGNORECASE)
_OTHERS, _GROUP_READS, _OTHERS_READ = 0o077, 0o040, 0o004
# ssh, PostgreSQL and their like take it from the file's owner; 0640 too where the file is root's.
_CLOSED, _READ_BY_GROUP = 0o400, 0o440


@record()
class _File(Record):
    """A file that the line names, in a volume that is made of keys."""

    path: str
    volume: str
    mode: int

    @property
    def octal(self) -> str:
        """The mode as ls and YAML write it."""
        return f"0{self.mode:o}"


def _match(
    pod: Ref, word: ContainerLine, settings: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    lines = [word.line, *(line for line in word.fact.lines if _TOO_OPEN.search(line))]
    found = next((f for line in lines if (f := _find_file(pod, one.name, line, settings, snap))), None)
    own, spec = snap.one(Containers, pod), find_container_spec(pod, one.name, snap)
    if found is None or own is None or spec is None:
        return None
    if any(_TOO_OPEN.search(line) for line in lines) and _effective(found.mode, own.fs_group) & _OTHERS:
        return Sign(True, (_find_too_open(pod, word, found, own.fs_group, spec.user),), snap.of(Volumes, pod))
    denied = (
        _DENIED.search(word.line) and not found.mode & _OTHERS_READ and own.fs_group is None and spec.user
    )
    return (
        Sign(True, (_find_too_closed(pod, word, found, spec.user or 0),), snap.of(Volumes, pod))
        if denied
        else None
    )


def _effective(mode: int, fs_group: int | None) -> int:
    """Return the mode as the kubelet leaves it: with fsGroup the group may read."""
    return mode | _GROUP_READS if fs_group is not None else mode


def _find_file(pod: Ref, container: str, line: str, settings: PodSettings, snap: Facts) -> _File | None:
    spec = find_container_spec(pod, container, snap)
    volumes = {v.name for f in snap.of(Volumes, pod) for v in f.items}
    for at, name in sorted(spec.mounts if spec else (), key=lambda m: -len(m[0])):
        hit = re.search(rf"(?<![\w.-]){re.escape(at)}(?P<rest>(?:/[\w.@+-]+)*)", line)
        modes = {m.key: m.mode for m in settings.modes if m.volume == name}
        if hit and name in volumes and modes:
            rest = hit["rest"].strip("/")
            return _File(hit[0].rstrip("."), name, modes.get(rest, modes.get("", 0o644)))
    return None


def _find_too_open(
    pod: Ref, word: ContainerLine, file: _File, fs_group: int | None, user: int | None
) -> Misfit:
    also: Text = (
        say(", and fsGroup {group} lets its group read it besides", group=fs_group)
        if fs_group is not None
        else NO_TEXT
    )
    told = [x.strip() for x in word.fact.lines if _TOO_OPEN.search(x)]
    line = next((x for x in told if file.path in x), next(iter(told), word.line.strip()))
    say_mode = say("set defaultMode of volume {volume} to 0400", volume=file.volume)
    if user:
        say_mode = say(
            "give it a copy of its own with mode 0400 (an init container that copies it into an emptyDir): "
            "a file of volume {volume} is root's, so that with defaultMode 0400 user {user} could not read "
            "it, and with fsGroup its group can",
            volume=file.volume,
            user=user,
        )
    elif fs_group is not None:
        say_mode = say(
            "set defaultMode of volume {volume} to 0400 and leave fsGroup out, which makes it 0440; or give "
            "the program a copy of its own with mode 0400",
            volume=file.volume,
        )
    return Misfit(
        of=pod,
        field=f"volumes[{file.volume}].defaultMode",
        says=say(
            (
                "{who} wrote “{line}”: {path} has mode {mode} from its volume {volume}{also}; the program "
                "accepts no key that others can read"
            ),
            who=word.title,
            line=line[:160],
            path=file.path,
            mode=file.octal,
            volume=file.volume,
            also=also,
        ),
        help=(mend(say_mode),),
        do_not=(
            DoNot(
                say("replace the key, or register it with the server again"),
                say("the program has not used it: it stops at the file's mode"),
            ),
        ),
    )


def _find_too_closed(pod: Ref, word: ContainerLine, file: _File, user: int) -> Misfit:
    return Misfit(
        of=pod,
        field=f"volumes[{file.volume}].defaultMode",
        says=say(
            "{who} wrote “{line}”: {path} has mode {mode} from its volume {volume} and is root's, and the "
            "container runs as user {user} without fsGroup",
            who=word.title,
            line=word.quote,
            path=file.path,
            mode=file.octal,
            volume=file.volume,
            user=user,
        ),
        help=(
            Step(
                say(
                    "set securityContext.fsGroup of the Pod, so that its group may "
                    "read it, or defaultMode 0444"
                ),
                where="source",
                verify=say("the next run gets past this line"),
            ),
        ),
        do_not=(
            DoNot(
                say("run the container as root because of it"),
                say("it would have every right, for the sake of one file"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a mounted file's mode is not the one that its reader takes",
        "allowed",
        ("Pod",),
        make_words_check(_match),
        READS | {Volumes},
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.mode-unlike",
    title=say("a mounted file has a mode that its reader does not accept"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
