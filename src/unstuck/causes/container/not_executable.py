"""The container's command is not executable

## How it happens

The command or entrypoint names an existing file that cannot be executed: it lost its execute bit (copied from
Windows, `COPY` without `--chmod`, a ConfigMap mounted with mode 0644), it is a directory, it is on a mount
with `noexec`, or it is a script without a `#!` line.

## How to tell

The runtime's words are `exec: "/run.sh": permission denied` or `is a directory`, and the container has not
run since; or its log holds the runtime's refusal alone. For a script without its first line the kernel
reports `exec format error` for a file with a script's name.

## Known limits

A security module (SELinux, AppArmor) that forbids the execution gives `permission denied` as well: the
kernel's audit log shows it. Where another user than the file's owner runs it, the execute bit may lack for
others only.

## References

- execve(2) EACCES, ENOEXEC; runc libcontainer/standard_init_linux.go, Go os/exec
"""

from __future__ import annotations

from unstuck.causes.container._ends import STAGES, name_container
from unstuck.causes.container._refused import (
    Refusal,
    is_script,
    left_only_runtime_words,
    note_where_set,
    pick_first,
    start_refusals,
)
from unstuck.causes.volume import _on_node
from unstuck.causes.volume._on_node import find_volume_path, is_mounted_with
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, negate, only_yes
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    said, mine = start_refusals(pod, snap, _fits)
    logged = left_only_runtime_words(pod, snap, _fits)
    if mine.value is False and logged.wants:
        mine = Sign(None, wants=logged.wants)
    elif mine.value is False and logged.value:
        mine = Sign(None)

    mine = _ask_mount_options(pod, mine, snap)
    return Signs(
        decisive={"the runtime may not execute the file, and that container has not run": mine},
        supporting={
            "a message says that a file is not executable": only_yes(said),
            "its log contains only the runtime's refusal": only_yes(logged),
        },
        finding=lambda: _make_finding(pod, pick_first(mine, said, logged), snap),
    )


def _ask_mount_options(pod: Ref, mine: Sign[Failure], snap: Facts) -> Sign[Failure]:
    """Return the refusals with the question whether a volume's file system is mounted noexec: the message is
    the same.
    """
    said = mine.hits[0] if mine.value and mine.hits else None
    if said is None or said.error != "not-executable":
        return mine
    if find_container_spec(pod, said.container, snap) is None:
        return all_of((Sign(None, wants=(Want(Containers, pod),)), mine))
    where = find_volume_path(pod, said.container, said.path or "", snap)
    return all_of((negate(is_mounted_with("noexec", pod, where, snap)), mine)) if where else mine


def _fits(refusal: Refusal) -> bool:
    return refusal.error == "not-executable" or (refusal.error == "exec-format" and is_script(refusal))


def _make_finding(pod: Ref, refusal: Refusal, snap: Facts) -> Finding:
    name, what = refusal.container, refusal.path
    who = name_container(name)
    says = say("{who} cannot start: {what} may not be executed", who=who, what=what or say("its program"))
    mend = say(
        "set the execute bit in the image build (chmod +x, COPY --chmod=0755); for a ConfigMap, set "
        "defaultMode 0755; if it is set already, run the file from a file system that is not mounted noexec"
    )
    if refusal.error == "exec-format":
        says = say(
            "{who} cannot start: the kernel cannot run the script {what}: it has no interpreter line",
            who=who,
            what=what,
        )
        mend = say("add a first line (#!/bin/sh) to the script, or use its interpreter as the command")
    elif isinstance(refusal, Failure) and "is a directory" in refusal.message:
        says = say("{who} cannot start: {what} is a directory", who=who, what=what)
        mend = say("use a file as the command")
    return Finding(
        says,
        culprit=make_container_ref(pod, name),
        blocks=(pod,),
        notes=note_where_set(find_container_spec(pod, name, snap)),
        help=(Step(mend, where="source", verify=say("the container starts and logs")),),
        do_not=(
            DoNot(
                say("run the container as root or privileged because of it"),
                say("even root cannot execute a file without any execute bit"),
            ),
        ),
    )


CAUSE = Cause(
    id="container.not-executable",
    title=say("the container's command is not executable"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=_on_node.READS | {Failure, ContainerStatuses, Containers, LastLines, Placement},
    rule=_rule,
)
