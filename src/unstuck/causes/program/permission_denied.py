"""The program ends because the kernel denies an operation

## How it happens

The program opens, creates or changes a file and may not, and gives up: the volume belongs to another user
than the container's (a hostPath or an NFS export of root, a volume without `fsGroup`), the image expects to
run as root, a file of a Secret has a mode that excludes it; or it listens on a port below 1024 without the
right to.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `Permission denied` or
`Operation not permitted`, usually with the path. If that is in a hostPath, an emptyDir or the volume of a
claim that its node has as a directory, a look at the Pod's node shows owner, group and mode of each directory
from the volume on: a directory that denies `runAsUser` access, or the write that the line reports, proves it.

## Known limits

The image's user, if `runAsUser` is not set, and that user's groups in the image are not looked up; nor are
the paths of other volumes: it stays likely. SELinux and AppArmor deny with the same word. `Operation not
permitted` is not a matter of the mode. `Permission denied (publickey)` is a refused login, and reported as
such.

## References

- Linux errno(3), EACCES, EPERM; path_resolution(7); documentation "Configure a Security Context for a Pod or
  Container"
"""

from __future__ import annotations

import re
from dataclasses import replace

from unstuck.causes import _node_place
from unstuck.causes._node_place import (
    NodePlace,
    PathRefusal,
    find_end,
    find_node_place,
    find_refusals,
    list_wants_of_place,
)
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._sticky import find_sticky, make_sticky_finding
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    find_program_messages,
    make_finding,
)
from unstuck.causes.program._volume_access import (
    find_closed_device,
    find_message_volume,
    give_access,
    look_at_owner,
)
from unstuck.causes.volume._on_node import find_volume_path
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, any_of, unique
from unstuck.diagnosis.text import Messages, Text, list_names
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_paths import NodePath, PathPart
from unstuck.facts.aspects.pod import Containers, ContainerSpec, PodVolume
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

say = Messages(__name__)

_WITHHELD = {
    "enter": say(", which does not let its user enter it"),
    "read": say(", which does not let its user read it"),
    "write": say(", which does not let its user write to it"),
}
_PRIVILEGED, _BIND = 1024, "bind"
# Source: OpenShift documentation "Creating images" (support arbitrary user ids).
_ARBITRARY = regex(r"\buid=1[0-9]{9}\b.{0,80} gid=0\b")
_SHIFTED = say(
    "OpenShift gives each Namespace such uids, with group 0: the image's path must be writable for group 0, "
    "or an SCC (anyuid) allow the image's own uid"
)
_ROOT = DoNot(
    say("run the container as root, or make the path writable for all"),
    say("anyone who breaks into the program then has that right as well"),
)


_ERRORS: tuple[ProgramError, ...] = ("permission-denied",)
_NOT_THE_MODE = regex(r"operation not permitted|EPERM", re.IGNORECASE)
_CONNECTS = regex(r"\bconnect(?:\(\d?\))?: (?:permission denied|operation not permitted)", re.IGNORECASE)
# The refusal is a server's: an address of one, an HTTP status, or a status of gRPC.
_BY_A_SERVER = regex(r"https?://|\b[Cc]ode: ?403\b|\b403 |\(403\)|PermissionDenied")


def _rule(pod: Ref, snap: Facts) -> Signs:
    said = [one for one in find_program_messages(pod, snap, *_ERRORS).hits if one.complaint.path]
    closed = any_of([all_of((_find_refusals(pod, one, snap), Sign(True, (one,)))) for one in said])
    return make_plain_signs(
        pod,
        snap,
        _ERRORS,
        lambda one: _make_finding(pod, one, snap),
        {"owner and mode of the path refuse its user": closed},
    )


def _is_not_the_mode(one: ProgramMessage) -> bool:
    """Tell whether the kernel refused it regardless of owner and mode."""
    return _NOT_THE_MODE.search(one.complaint.line) is not None


def _place(pod: Ref, one: ProgramMessage, snap: Facts) -> NodePlace | None:
    """Return the place on the Node of the path that the kernel refused by its mode; None if unknown."""
    path = one.complaint.path
    return (
        find_node_place(pod, one.run.name or None, path, snap) if path and not _is_not_the_mode(one) else None
    )


def _find_refusals(pod: Ref, one: ProgramMessage, snap: Facts) -> Sign[PathRefusal]:
    """Return the parts of the path that refuse the user of the run; unknown if the image sets the user."""
    spec = find_container_spec(pod, one.run.name or None, snap)
    place = _place(pod, one, snap)
    if place is None or spec is None or not spec.user:
        return Sign(None, wants=list_wants_of_place(pod, snap, one.run.name or None, one.complaint.path))
    return find_refusals(place, spec.user, _list_groups(pod, snap), one.complaint.line, snap)


def _list_groups(pod: Ref, snap: Facts) -> tuple[int, ...]:
    """Return the groups that the spec gives its programs, without the image's own."""
    return unique(g for f in snap.of(Containers, pod) for g in (f.fs_group, *f.groups) if g is not None)


def _make_connection_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a connection that the machine's own kernel refuses: no file's mode counts."""
    means = say(
        "the kernel of its own machine does not let it connect there: a rule or route that prohibits the "
        "address, a packet filter, or a security module"
    )
    look = Step(
        say("see which rule applies to that address"), command=command("ip rule; ip route show table all")
    )
    return make_finding(pod, one, means, (look, mend(say("remove that rule, or connect to another address"))))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    if not one.complaint.path and _CONNECTS.search(one.complaint.line):
        return _make_connection_finding(pod, one)
    spec = find_container_spec(pod, one.run.name or None, snap)
    path, port = one.complaint.path, one.complaint.port or _only_low_port(one, spec)
    if port:
        means = say("it may not listen on port {port}", port=port)
        if spec and spec.user:
            means += say(" as uid {user} (runAsUser): ports below 1024 need more", user=spec.user)
        step = mend(say("let it listen on a port above 1023, or give it NET_BIND_SERVICE"))
        return make_finding(pod, one, means, (step,))
    means = say("it has no permission on {path}", path=path) if path else say("it lacks a permission")
    volume = find_volume_path(pod, one.run.name or None, path, snap) if path else None
    if spec and spec.user is not None:
        means += say("; it runs as uid {user} (runAsUser)", user=spec.user)
    if seen := _make_seen_finding(pod, one, means, spec, snap):
        return seen
    if path and spec and not volume and not any(is_at_or_below(path, at) for at, _ in spec.mounts):
        return make_finding(pod, one, means, (_make_in_image_step(),), do_not=(_ROOT,))
    if pod.kind != "Pod":
        return _make_finding_in_text(pod, one, means)
    if _is_not_the_mode(one) and (device := find_closed_device(pod, one, snap)):
        return _make_device_finding(pod, one, means, device)
    look = Step(
        say("see which user it runs as, and what is mounted there"),
        command=command("kubectl get {pod} {space} -o yaml", pod=given.of(pod), space=given.space(pod)),
    )
    user = spec.user if spec and volume and volume.type == "emptyDir" else None
    if user and volume and (makers := _list_makers(pod, user, volume.volume, snap)):
        return _made_before(pod, one, means, user, makers)
    group = next((f.fs_group for f in snap.of(Containers, pod) if f.fs_group is not None), None)
    if volume and group is not None and not _is_not_the_mode(one):
        # It is set, and has no effect on a hostPath or an export.
        step = mend(
            say(
                (
                    "give the path to its user or to group {group}, which fsGroup gives the program, where "
                    "the volume comes from"
                ),
                group=group,
            )
        )
        return make_finding(pod, one, means, (look, step), do_not=(_ROOT,))
    give = _allow() if _is_not_the_mode(one) else give_access(find_message_volume(pod, one, snap))
    return make_finding(pod, one, means, (look, give), do_not=(_ROOT,))


def _make_finding_in_text(text: Ref, one: ProgramMessage, means: Text) -> Finding:
    """Return the finding for a text, with the owner and mode that it may list beside the error."""
    listed = one.complaint.detail
    if not one.complaint.path and _BY_A_SERVER.search(one.complaint.line):
        means = say("a server denies it this request")
        return make_finding(text, one, means, (_allow_on_server(),))
    if not listed:
        return make_finding(text, one, means, (give_access(None),), do_not=(_ROOT,))
    give = mend(
        say(
            "let the user of the program own that path, or its group write there, where the path is made: in "
            "the image, on the host, or by an init container (chown); over a directory of the image a volume "
            "can be mounted (emptyDir)"
        )
    )
    same = mend(say("or run the program as the user that the path belongs to"))
    shown = say("; ls shows {listed}", listed=listed)
    notes = (_SHIFTED,) if _ARBITRARY.search(listed) else ()
    return make_finding(text, one, means + shown, (give, same), do_not=(_ROOT,), notes=notes)


def _allow_on_server() -> Step:
    return mend(
        say("on that server, check which policy or role this client's login has, and allow it this request")
    )


def _allow() -> Step:
    """Return the step for a refusal by the kernel that does not depend on owner and mode."""
    return mend(
        say(
            "“Operation not permitted” does not depend on owner and mode: compare its capabilities, its "
            "seccompProfile and the file's attributes (lsattr) with what it tries"
        )
    )


def _make_seen_finding(
    pod: Ref, one: ProgramMessage, means: Text, spec: ContainerSpec | None, snap: Facts
) -> Finding | None:
    """Return the finding with the reason from the owner, group and mode on the Node."""
    if _is_not_the_mode(one):
        sticky = find_sticky(pod, one, spec, snap)
        return replace(make_sticky_finding(pod, one, means, sticky), do_not=(_ROOT,)) if sticky else None
    if (place := _place(pod, one, snap)) and (found := _find_refusals(pod, one, snap).hits):
        return _refused(pod, one, means, place, found[0])
    if place and (end := find_end(place, snap)) and _is_of_group(end.parts[-1], pod, spec, snap):
        return _tell_owner(pod, one, means, end, snap)
    return None


def _make_device_finding(pod: Ref, one: ProgramMessage, means: Text, device: PodVolume) -> Finding:
    """Return the finding of a device that a hostPath shows: the container's cgroup has no such device."""
    closed = say(
        (
            "; hostPath {path} is a device, and mounting it does not let a container open it, unless the "
            "container is privileged"
        ),
        path=device.what,
    )
    step = mend(
        say(
            "have a device plugin give it to the container (resources.limits), or run the container as "
            "privileged: that opens every device of the Node to it"
        )
    )
    return make_finding(pod, one, means + closed, (step,))


def _refused(pod: Ref, one: ProgramMessage, means: Text, place: NodePlace, found: PathRefusal) -> Finding:
    """Return the finding that names the directory or file which refuses, with its owner and mode."""
    part, node = found.part, place.path.within or ""
    whose = _describe_owner(part, node)
    see = look_at_owner(node, part.path)
    if place.type == "hostPath":
        step = mend(
            say(
                "on the Node give it to the user of the program, or run the program as its owner; fsGroup "
                "does not change a hostPath"
            )
        )
    elif place.type == "persistentVolumeClaim":
        step = give_access(None)
    else:
        step = mend(
            say(
                "let the program that creates it run as the same user, or change its owner to that user (in "
                "an init container, for example)"
            )
        )
    return make_finding(pod, one, means + whose + _WITHHELD[found.act], (see, step), do_not=(_ROOT,))


def _tell_owner(pod: Ref, one: ProgramMessage, means: Text, end: NodePath, snap: Facts) -> Finding:
    """Return the finding that names the owner of the path's end, if the image's groups may decide."""
    part, node = end.parts[-1], end.about.within or ""
    groups = _list_groups(pod, snap)
    means += _describe_owner(part, node) + (
        say("; the Pod's spec gives its programs the groups {groups}", groups=list_names(map(str, groups)))
        if groups
        else say("; the Pod's spec gives its programs no group")
    )
    see = look_at_owner(node, part.path)
    join = mend(
        say(
            "give the program the group {group} (securityContext.supplementalGroups), if it is meant to use "
            "{path}; else give the path to a group that the program has, where it is made: fsGroup does not "
            "change a hostPath",
            group=part.gid,
            path=part.path,
        )
    )
    return make_finding(pod, one, means, (see, join), do_not=(_ROOT,))


def _describe_owner(part: PathPart, node: str) -> Text:
    return say(
        "; {path} on Node {node} belongs to uid {owner}, gid {group}, with mode {mode}",
        path=part.path,
        node=node,
        owner=part.uid,
        group=part.gid,
        mode=f"{part.mode:04o}",
    )


def _is_of_group(part: PathPart, pod: Ref, spec: ContainerSpec | None, snap: Facts) -> bool:
    """Tell whether its group has a right that others lack, and the spec gives the program no such group."""
    mine = spec.user if spec else None
    more = part.mode >> 3 & 7 & ~(part.mode & 7)
    return bool(mine) and part.uid != mine and bool(more) and part.gid not in _list_groups(pod, snap)


def _list_makers(pod: Ref, user: int, volume: str, snap: Facts) -> tuple[ContainerSpec, ...]:
    """Return the init containers that write to the volume as another user, or as their image's: they own the
    files that they create there.
    """
    return tuple(
        c
        for f in snap.of(Containers, pod)
        for c in f.items
        if c.kind == "init"
        and c.user != user
        and any(name == volume and at not in c.read_only for at, name in c.mounts)
    )


def _made_before(
    pod: Ref, one: ProgramMessage, means: Text, user: int, makers: tuple[ContainerSpec, ...]
) -> Finding:
    """Return the finding of a path in a volume that each Pod gets empty, and that an init container has
    written to.
    """
    uid = makers[0].user
    names = list_names(c.name for c in makers if c.user == uid)
    whose = (
        say("; init container {names} writes to the same volume first, as uid {uid}", names=names, uid=uid)
        if uid is not None
        else say(
            "; init container {names} writes to the same volume first, as the user of its image", names=names
        )
    )
    step = mend(
        say(
            "run init container {names} as uid {user} too (securityContext.runAsUser), or let it "
            "give what it makes to uid {user} (chown): the volume is empty before it, so that "
            "fsGroup alone may not be enough",
            names=names,
            user=user,
        )
    )
    return make_finding(pod, one, means + whose, (step,), do_not=(_ROOT,))


def _only_low_port(one: ProgramMessage, spec: ContainerSpec | None) -> int:
    """Return the port of a refused bind(2) whose line names none, if the container declares only one below
    1024; else 0.
    """
    low = (
        [number for _, number in spec.ports if number < _PRIVILEGED]
        if spec and _BIND in one.complaint.line
        else []
    )
    return low[0] if len(low) == 1 else 0


def _make_in_image_step() -> Step:
    return mend(say("give the path to its user where the image is built, or mount a volume there (emptyDir)"))


CAUSE = Cause(
    id="program.permission-denied",
    title=say("the program ends because the kernel denies an operation"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | _node_place.READS,
    rule=_rule,
)
