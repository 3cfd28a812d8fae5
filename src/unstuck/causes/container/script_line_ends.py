"""A script has Windows line endings, so its interpreter is not found

## How it happens

The first line of a script names its interpreter, `#!/bin/sh`. Saved with Windows line ends, that line ends
with a carriage return, and the kernel looks for a program of the name `/bin/sh` with a carriage return behind
it. There is none, and the kernel's error, "no such file or directory", names the script, which exists.

## How to tell

The runtime, the shell or the program says `no such file or directory`, `not found` or `bad interpreter` for a
script in a ConfigMap, and in the ConfigMap the first line of that key ends with a carriage return, which YAML
shows as an escape.

## Known limits

A script of an image, of a claim or of a Secret is not looked at. A file that is mounted under another name
than its key is not found.

## References

- Linux execve(2), ENOENT: "the file pathname or a script or ELF interpreter does not exist";
  fs/binfmt_script.c
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.causes import _path_volume
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Keys
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import list_statuses, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

_PATH = re.compile(r"(?<![\w./:-])/(?:[\w@+-][\w.@+-]{0,100}/){0,16}[\w@+.-]{1,100}")
_NOT_THERE = ("no such file or directory", "not found", "bad interpreter")
_LINES = 5


@record()
class _Script(Record):
    """A script that is reported missing. key: of the ConfigMap. by: the fact with the message."""

    container: str
    path: str
    config_map: Ref
    key: str
    by: Fact


def _rule(pod: Ref, snap: Facts) -> Signs:
    scripts = tuple(_find_scripts(pod, snap))
    said = (
        Sign(True, scripts, tuple(dict.fromkeys(s.by for s in scripts))) if scripts else Sign[_Script](None)
    )
    ends = any_of([_ends_as_on_windows(s, snap) for s in scripts]) if scripts else Sign[_Script](None)
    return Signs(
        decisive={
            "the script is there, and its first line ends with a carriage return": all_of([said, ends])
        },
        finding=lambda: _make_finding(pod, ends.hits[0]),
    )


def _ends_as_on_windows(script: _Script, snap: Facts) -> Sign[_Script]:
    if any(f.returning is None for f in snap.of(Keys, script.config_map)):
        return Sign(None)
    return some(
        snap, Keys, script.config_map, lambda f: [script] if script.key in (f.returning or ()) else []
    )


def _find_scripts(pod: Ref, snap: Facts) -> Iterator[_Script]:
    """Yield the files of ConfigMaps that are reported missing."""
    for container, line, by in _find_words(pod, snap):
        if not any(words in line.lower() for words in _NOT_THERE):
            continue
        for path in _PATH.findall(line):
            volume = _path_volume.find_volume(pod, container, path, snap)
            if volume is not None and volume.type == "configMap" and volume.what:
                yield _Script(
                    container, path, Ref("ConfigMap", pod.within, volume.what), path.rpartition("/")[2], by
                )


def _find_words(pod: Ref, snap: Facts) -> Iterator[tuple[str, str, Fact]]:
    """Yield the last lines of containers that are not ready, the runtime's messages about their end, and its
    failed starts.
    """
    statuses = {s.name: s for s in list_statuses(pod, snap) if not s.ready}
    for name, status in statuses.items():
        for fact in snap.of(LastLines, make_container_ref(pod, name)):
            yield from ((name, line, fact) for line in fact.lines[-_LINES:])
        for end in (status.ended, status.last):
            if end and end.message:
                yield from ((name, end.message, f) for f in snap.of(ContainerStatuses, pod)[:1])
    for failure in snap.of(Failure, pod):
        if failure.container in statuses:
            yield failure.container or "", failure.message, failure


def _make_finding(pod: Ref, script: _Script) -> Finding:
    target = make_container_ref(pod, script.container)
    return Finding(
        say(
            "container {container} cannot run {path}: the script exists (ConfigMap {config_map}) but has "
            "Windows line endings, so its interpreter is looked up with a carriage return in the name and "
            "is not found",
            container=script.container,
            path=script.path,
            config_map=script.config_map.name,
        ),
        culprit=script.config_map,
        blocks=(pod, target),
        help=(
            Step(
                say("see the carriage returns in key {key}, which YAML writes as escapes", key=script.key),
                command=command(
                    "kubectl get {config_map} {space} -o yaml",
                    config_map=given.of(script.config_map),
                    space=given.space(script.config_map),
                ),
            ),
            Step(
                say(
                    "save the script with Unix line ends (`dos2unix`, or `* text eol=lf` in "
                    ".gitattributes), apply the ConfigMap again and "
                    "delete the Pod, which is recreated",
                ),
                where="source",
                risk="disrupts",
                verify=say("the container runs"),
            ),
        ),
        do_not=(
            DoNot(
                say("change the path of the script or its mode"),
                say("both are right; the file is found, and its interpreter is not"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.script-line-ends",
    title=say("a script has Windows line endings"),
    subjects=("Pod",),
    stages=("init-done", "containers-created", "started", "ready", "stays-up"),
    reads=frozenset({Containers, ContainerStatuses, Failure, Keys, LastLines}) | _path_volume.READS,
    rule=_rule,
)
