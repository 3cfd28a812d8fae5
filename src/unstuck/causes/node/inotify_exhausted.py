"""A user on the Node has no inotify instance or watch left

## How it happens

inotify's limits hold for all processes of one user together, and Pods that run as root share them with the
kubelet, the runtime and every other root process of the Node: log agents that follow each file, file
synchronizers, many small controllers. When they are used up, `tail -f` and log following say `too many open
files` or `no space left on device`, the kubelet cannot watch its cgroups or files, and programs that watch
their configuration do not start.

## How to tell

The instances or the watches that one user's processes have, counted in `/proc/*/fdinfo`, have reached
`fs.inotify.max_user_instances` or `fs.inotify.max_user_watches`.

## Known limits

An instance that processes share is counted for each of them: with more than the limit it is likely only.
Users of another user namespace have their own limits as well. Most messages do not name inotify and have
other causes: without the count they prove no cause. `inotify_add_watch …: no space left on device` names it
and makes it likely, and so do `inotify_init: too many open files` and `fsnotify watcher: too many open
files`, which the limit of one process' open files gives as well.

## References

- inotify(7) limits; proc(5) fdinfo; Linux fs/notify/inotify/inotify_user.c
"""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import Sign, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_limits import InotifyUse, InotifyUser
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

Limit = Literal["instances", "watches"]
_SETTINGS = {"instances": "fs.inotify.max_user_instances", "watches": "fs.inotify.max_user_watches"}
_NO_DISK = DoNot(
    say("free disk space because of the message"),
    say("here `no space left on device` means no inotify watches left, not a full disk"),
)
_SAID: dict[ErrorWord, Limit] = {"watches-exhausted": "watches", "instances-exhausted": "instances"}
_COUNTED: dict[Limit, Command] = {
    "watches": command(
        "sysctl fs.inotify.max_user_watches; grep -c ^inotify /proc/*/fdinfo/* 2>/dev/null | grep -v :0 | "
        "sort -t: -k2 -n | tail"
    ),
    "instances": command(
        "sysctl fs.inotify.max_user_instances; "
        "find /proc/[0-9]*/fd -lname 'anon_inode:*inotify*' 2>/dev/null | cut -d/ -f3 | sort | uniq -c | "
        "sort -n | tail"
    ),
}
_ONE = {"instances": say("instance"), "watches": say("watch")}
_NAMES = {"instances": say("instances"), "watches": say("watches")}


def _rule(node: Ref, snap: Facts) -> Signs:
    full: Sign[tuple[InotifyUser, str, int]] = some(snap, InotifyUse, node, _full)
    # No user can exceed the limit: a higher count includes shared instances once for each process.
    shared = bool(full.hits) and all(
        (u.instances if w == "instances" else u.watches) > cap for u, w, cap in full.hits
    )
    said = hearsay(snap, Failure, node, lambda f: [f] if f.error in _SAID else [])
    return Signs(
        decisive={"a user has as many as it may": Sign(None, full.hits, full.seen) if shared else full},
        supporting={
            "the kernel refuses a watch or an instance": said,
            "a user has at least as many, some of them shared": full if shared else Sign(None),
        },
        finding=lambda: (
            _make_finding(node, full.hits[0])
            if full.hits
            else _make_finding_from_message(node, _SAID[said.hits[-1].error])
        ),
    )


def _full(use: InotifyUse) -> list[tuple[InotifyUser, str, int]]:
    limits = {"instances": use.max_instances, "watches": use.max_watches}
    used = [
        (u, w, u.instances if w == "instances" else u.watches, cap)
        for w, cap in limits.items()
        for u in use.items
        if cap
    ]
    return [(u, w, cap) for u, w, n, cap in used if cap and n >= cap]


def _make_finding_from_message(node: Ref, what: Limit) -> Finding:
    """Return the finding from the message alone: inotify_add_watch gives ENOSPC for lack of watches, never
    for lack of disk space (inotify_add_watch(2)).
    """
    setting = _SETTINGS[what]
    size = say("; a watch takes about 1 KiB") if what == "watches" else NO_TEXT
    return Finding(
        say("a user on the node has no inotify {one} left", one=_ONE[what]),
        culprit=Ref("Sysctl", node.name, setting),
        blocks=(node,),
        help=(
            Step(
                say("see the limit, and the top users"),
                where=f"node:{node.name or 'NODE'}",
                command=_COUNTED[what],
            ),
            Step(
                say("raise {setting} in a file below /etc/sysctl.d{size}", setting=setting, size=size),
                where="source",
                verify=say("programs that could not watch files start"),
            ),
        ),
        do_not=(_NO_DISK,) if what == "watches" else (),
    )


def _make_finding(node: Ref, full: tuple[InotifyUser, str, int]) -> Finding:
    user, what, limit = full
    setting = _SETTINGS[what]
    used = user.instances if what == "instances" else user.watches
    most = ", ".join(user.comms)
    return Finding(
        say(
            "User {uid} of Node {node} has no inotify {names} left: {used} of {limit}",
            uid=user.uid,
            node=node.name,
            names=_NAMES[what],
            used=used,
            limit=limit,
        ),
        culprit=Ref("Sysctl", node.name, setting),
        blocks=(node,),
        notes=(say("most of them: {most}", most=most),) if most else (),
        help=(
            Step(
                say("raise the limit; a watch takes about 1 KiB of kernel memory"),
                where=f"node:{node.name}",
                command=command(
                    "sysctl -w {setting}={limit}", setting=given.plain(setting), limit=given.number(limit * 4)
                ),
                risk="reversible",
                undo=command(
                    "sysctl -w {setting}={limit}", setting=given.plain(setting), limit=given.number(limit)
                ),
                verify=say("programs that could not watch files start"),
            ),
            Step(
                say("permanently: the same setting in a file below /etc/sysctl.d on every node"),
                where="source",
            ),
        ),
        do_not=(_NO_DISK,),
    )


CAUSE = Cause(
    id="node.inotify-exhausted",
    title=say("a user has run out of inotify instances or watches"),
    subjects=("Node",),
    reads=frozenset({InotifyUse, Failure}),
    rule=_rule,
)
