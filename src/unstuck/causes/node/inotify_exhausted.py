"""A user on the Node has no inotify instance or watch left

## How it happens

inotify's limits hold for all processes of one user together, and Pods that run as root share them with the kubelet, the runtime and every
other root process of the Node: log agents that follow each file, file synchronizers, many small controllers. When they are used up,
`tail -f` and log following say `too many open files` or `no space left on device`, the kubelet cannot watch its cgroups or files, and
programs that watch their configuration do not start.

## How to tell

The instances or the watches that one user's processes have, counted in `/proc/*/fdinfo`, have reached `fs.inotify.max_user_instances` or
`fs.inotify.max_user_watches`.

## Known limits

An instance that processes share is counted for each of them: with more than the limit it is likely only. Users of another user namespace
have limits of their own as well. Most messages do not name inotify and have other causes: without the count nothing is claimed by them.
`inotify_add_watch …: no space left on device` names it and makes it likely, and so do `inotify_init: too many open files` and `fsnotify
watcher: too many open files`, which the limit of one process' open files gives as well.

## References

- inotify(7) limits; proc(5) fdinfo; Linux fs/notify/inotify/inotify_user.c
"""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.sign import Sign, heard, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_limits import InotifyUse, InotifyUser
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

Limit = Literal["instances", "watches"]
_SETTINGS = {"instances": "fs.inotify.max_user_instances", "watches": "fs.inotify.max_user_watches"}
_NO_DISK = DoNot(
    Text("free disk space because of the message", "因消息提示而去清理磁盘"),
    Text(
        "here `no space left on device` means no inotify watches left, not a full disk",
        "这里的 `no space left on device` 表示 inotify watch 用尽，并非磁盘已满",
    ),
)
_SAID: dict[ErrorWord, Limit] = {"watches-exhausted": "watches", "instances-exhausted": "instances"}
_COUNTED: dict[Limit, Command] = {
    "watches": command(
        "sysctl fs.inotify.max_user_watches; grep -c ^inotify /proc/*/fdinfo/* 2>/dev/null | grep -v :0 | sort -t: -k2 -n | tail"
    ),
    "instances": command(
        "sysctl fs.inotify.max_user_instances; "
        "find /proc/[0-9]*/fd -lname 'anon_inode:*inotify*' 2>/dev/null | cut -d/ -f3 | sort | uniq -c | sort -n | tail"
    ),
}
_NAMES = {"instances": Text("instances", "实例"), "watches": Text("watches", "监视")}


def _rule(node: Ref, snap: Facts) -> Signs:
    full: Sign[tuple[InotifyUser, str, int]] = some(snap, InotifyUse, node, _full)
    # More than the limit nobody has: then instances that processes share were counted for each of them.
    shared = bool(full.hits) and all((u.instances if w == "instances" else u.watches) > cap for u, w, cap in full.hits)
    said = heard(snap, Failure, node, lambda f: [f] if f.error in _SAID else [])
    return Signs(
        decisive={"a user has as many as it may": Sign(None, full.hits, full.seen) if shared else full},
        supporting={
            "the kernel refuses a watch or an instance": said,
            "a user has at least as many, some of them shared": full if shared else Sign(None),
        },
        finding=lambda: _finding(node, full.hits[0]) if full.hits else _told(node, _SAID[said.hits[-1].error]),
    )


def _full(use: InotifyUse) -> list[tuple[InotifyUser, str, int]]:
    limits = {"instances": use.max_instances, "watches": use.max_watches}
    used = [(u, w, u.instances if w == "instances" else u.watches, cap) for w, cap in limits.items() for u in use.items if cap]
    return [(u, w, cap) for u, w, n, cap in used if cap and n >= cap]


def _told(node: Ref, what: Limit) -> Finding:
    """Return the finding from the message alone: inotify_add_watch gives ENOSPC for want of watches, never for want of disk space
    (inotify_add_watch(2)).
    """
    setting = _SETTINGS[what]
    one = {"watches": "watch", "instances": "instance"}[what]
    size, size_zh = ("; a watch takes about 1 KiB", "；每个 watch 约占 1 KiB") if what == "watches" else ("", "")
    return Finding(
        Text(f"a user on the node has no inotify {one} left", f"该节点上有用户已无可用的 inotify {_NAMES[what].zh}"),
        culprit=Ref("Sysctl", node.name, setting),
        blocks=(node,),
        help=(
            Step(
                Text("see the limit, and the top users", "查看上限以及占用最多者"),
                where=f"node:{node.name or 'NODE'}",
                command=_COUNTED[what],
            ),
            Step(
                Text(
                    f"raise {setting} in a file below /etc/sysctl.d{size}",
                    f"在 /etc/sysctl.d 的文件中提高 {setting}{size_zh}",
                ),
                where="source",
                verify=Text("programs that could not watch files start", "此前无法 watch 的程序可以启动"),
            ),
        ),
        do_not=(_NO_DISK,) if what == "watches" else (),
    )


def _finding(node: Ref, full: tuple[InotifyUser, str, int]) -> Finding:
    user, what, limit = full
    setting = _SETTINGS[what]
    used = user.instances if what == "instances" else user.watches
    most = ", ".join(user.comms)
    return Finding(
        Text(
            f"User {user.uid} of Node {node.name} has no inotify {_NAMES[what].en} left: {used} of {limit}",
            f"节点 {node.name} 上的用户 {user.uid} 已无可用的 inotify {_NAMES[what].zh}：{used} / {limit}",
        ),
        culprit=Ref("Sysctl", node.name, setting),
        blocks=(node,),
        notes=(Text(f"most of them: {most}", f"占用最多：{most}"),) if most else (),
        help=(
            Step(
                Text("raise the limit; a watch takes about 1 KiB of kernel memory", "提高上限；每个 watch 约占 1 KiB 内核内存"),
                where=f"node:{node.name}",
                command=command("sysctl -w {setting}={limit}", setting=given.plain(setting), limit=given.number(limit * 4)),
                risk="reversible",
                undo=command("sysctl -w {setting}={limit}", setting=given.plain(setting), limit=given.number(limit)),
                verify=Text("programs that could not watch files start", "此前无法 watch 的程序可以启动"),
            ),
            Step(
                Text(
                    "permanently: the same setting in a file below /etc/sysctl.d on every node",
                    "长期：在每个节点的 /etc/sysctl.d 下的文件中写入同一设置",
                ),
                where="source",
            ),
        ),
        do_not=(_NO_DISK,),
    )


CAUSE = Cause(
    id="node.inotify-exhausted",
    title=Text("a user has run out of inotify instances or watches", "inotify 实例或 watch 数已用尽"),
    subjects=("Node",),
    reads=frozenset({InotifyUse, Failure}),
    rule=_rule,
)
