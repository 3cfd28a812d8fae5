"""The steps for a path of the Node that does not meet a program's needs."""

from __future__ import annotations

import posixpath

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_state import PathState, describe_state, find_dangling_link, name_process
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step

say = Messages(__name__)


def mend_state(behind: PathState | None, verify: Text) -> tuple[Step, ...]:
    """Return the steps for such a path; none if its state explains nothing. verify: how to see that the fix
    worked.
    """
    if behind is None or not describe_state(behind).en:
        return ()
    found, last = behind.found, behind.found.parts[-1]
    if found.served or found.error:
        return _mend_mount(behind, verify)
    if find_dangling_link(found):
        return _mend_link(behind, verify)
    if behind.leaves:
        return _mend_leaving(behind, verify)
    if behind.flagged or behind.append_only:
        return _mend_flag(behind, verify)
    if behind.read_only:
        return _mend_read_only(behind, verify)
    if behind.no_socket:
        return _mend_no_socket(behind, verify)
    if found.missing:
        return _mend_missing(behind, verify)
    if last.kind == "fifo":
        return _mend_pipe(behind, verify)
    return _mend_file(behind, verify)


def _mend_mount(behind: PathState, verify: Text) -> tuple[Step, ...]:
    found = behind.found
    at = found.mount.mountpoint if found.mount else found.parts[-1].path
    source = found.mount.source if found.mount else at
    return (
        Step(
            say(
                "see what is mounted at {at} of Node {node}, and whether its server or daemon is up",
                at=at,
                node=behind.node,
            ),
            where=place_on_node(behind.node),
            command=command("findmnt {at}", at=given.path(at)),
        ),
        Step(
            say(
                "if that has ended: unmount the dead mount at {at}, start {source} again as this Node does "
                "at its boot, and then restart the Pods that mount it; until then they cannot read it",
                at=at,
                source=source,
            ),
            where=place_on_node(behind.node),
            command=command("umount {at}", at=given.path(at)),
            risk="disrupts",
            verify=verify,
        ),
    )


def _mend_link(behind: PathState, verify: Text) -> tuple[Step, ...]:
    link, last = behind.found.links[-1], behind.found.parts[-1]
    return (
        Step(
            say(
                "point link {link} of Node {node} to an existing path, or restore {target}",
                link=link.path,
                node=behind.node,
                target=link.target,
            ),
            where=place_on_node(behind.node),
            command=command(
                "ls -la {directory} {link}", directory=given.path(last.path), link=given.path(link.path)
            ),
            verify=verify,
        ),
    )


def _mend_leaving(behind: PathState, verify: Text) -> tuple[Step, ...]:
    link = behind.leaves
    return (
        Step(
            say(
                "mount {target} of the Node in the container as well, as a hostPath at the path to which "
                "the link leads there; or keep the files themselves below {top}",
                target=posixpath.normpath(link.target) if link else "",
                top=behind.top,
            ),
            where="source",
            verify=verify,
        ),
        Step(
            say("see the link on Node {node}", node=behind.node),
            where=place_on_node(behind.node),
            command=command("ls -ld {link}", link=given.path(link.path if link else behind.top)),
        ),
    )


def _mend_flag(behind: PathState, verify: Text) -> tuple[Step, ...]:
    last = behind.found.parts[-1]
    flag = "i" if behind.flagged else "a"
    return (
        Step(
            say(
                "if nothing on Node {node} protects {path} on purpose, remove the attribute",
                node=behind.node,
                path=last.path,
            ),
            where=place_on_node(behind.node),
            command=command("chattr -{flag} {path}", flag=given.plain(flag), path=given.path(last.path)),
            risk="reversible",
            undo=command("chattr +{flag} {path}", flag=given.plain(flag), path=given.path(last.path)),
            verify=verify,
        ),
    )


def _mend_read_only(behind: PathState, verify: Text) -> tuple[Step, ...]:
    mount = behind.read_only
    at = mount.mountpoint if mount else ""
    where = place_on_node(behind.node)
    return (
        Step(
            say("see whether the kernel made it read-only after an error of its disk, or /etc/fstab says so"),
            where=where,
            command=command(
                "dmesg -T | grep -iE 'i/o error|ext4-fs|xfs|btrfs' | tail -n 20; grep -nF -e {at} /etc/fstab",
                at=given.path(at),
            ),
        ),
        Step(
            say(
                "without such an error, and if it is not read-only on purpose, mount {at} writable on Node "
                "{node} (remount,rw), in /etc/fstab too; after an error of the disk, save its data first",
                at=at,
                node=behind.node,
            ),
            where=where,
            verify=verify,
        ),
    )


def _mend_no_socket(behind: PathState, verify: Text) -> tuple[Step, ...]:
    last = behind.found.parts[-1]
    return (
        Step(
            say(
                "find out which program makes the socket {path} on Node {node}, and whether it runs; move "
                "away the {kind} that is there, which it did not make, and start it again",
                path=last.path,
                node=behind.node,
                kind=last.kind,
            ),
            where=place_on_node(behind.node),
            command=command("ls -ldn {path}", path=given.path(last.path)),
            verify=verify,
        ),
    )


def _mend_missing(behind: PathState, verify: Text) -> tuple[Step, ...]:
    found, last = behind.found, behind.found.parts[-1]
    return (
        Step(
            say(
                "see what is in {directory} of Node {node}, and whether the file system that belongs "
                "there is mounted; the owner of {path} has to restore it",
                directory=last.path,
                node=behind.node,
                path=found.about.name,
            ),
            where=place_on_node(behind.node),
            command=command("findmnt -T {directory}", directory=given.path(last.path)),
            verify=verify,
        ),
    )


def _mend_pipe(behind: PathState, verify: Text) -> tuple[Step, ...]:
    path = behind.found.parts[-1].path
    return (
        Step(
            say(
                "start the program of Node {node} that belongs at the other end of {path}: opening a named "
                "pipe waits until its other end is open, too",
                node=behind.node,
                path=path,
            ),
            where=place_on_node(behind.node),
            command=command("fuser -v {path}", path=given.path(path)),
            verify=verify,
        ),
    )


def _mend_file(behind: PathState, verify: Text) -> tuple[Step, ...]:
    node, path = behind.node, behind.found.parts[-1].path
    if user := behind.runner:
        return (
            Step(
                say(
                    (
                        "let the installer write a new file beside {path} and rename it over that: a "
                        "program that runs cannot be written over"
                    ),
                    path=path,
                ),
                where="source",
                verify=verify,
            ),
            Step(
                say(
                    "or, if {who} is not needed on Node {node}, end it; its work then stops",
                    who=name_process(user),
                    node=node,
                ),
                where=place_on_node(node),
                command=command("ps -o pid,ppid,lstart,args -p {pid}", pid=given.number(user.proc.pid)),
                verify=verify,
            ),
        )
    if user := behind.locker:
        return (
            Step(
                say(
                    "see what {who} on Node {node} does with {path}; the lock goes when that process ends",
                    who=name_process(user),
                    node=node,
                    path=path,
                ),
                where=place_on_node(node),
                command=command("ps -o pid,ppid,lstart,args -p {pid}", pid=given.number(user.proc.pid)),
                verify=verify,
            ),
        )
    if behind.found.certificates:
        return (
            Step(
                say(
                    "bring {path} on Node {node} up to date, as on the Nodes where this works",
                    path=path,
                    node=node,
                ),
                where=place_on_node(node),
                command=command(
                    "openssl crl2pkcs7 -nocrl -certfile {path} | openssl pkcs7 -print_certs -noout",
                    path=given.path(path),
                ),
                verify=verify,
            ),
        )
    return (
        Step(
            say(
                "put the content of {path} on Node {node} back, from its owner's source or a backup",
                path=path,
                node=node,
            ),
            where=place_on_node(node),
            command=command("ls -l {path}", path=given.path(path)),
            verify=verify,
        ),
    )
