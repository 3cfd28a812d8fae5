"""A file is mounted onto a directory of the container, or a directory onto a file

## How it happens

A bind mount needs a file for a file and a directory for a directory. A whole ConfigMap or Secret, which is a
directory, is mounted at the path of one file of the image (`/etc/nginx/nginx.conf`); a `subPath` names a key
that does not exist, so that an empty directory was made for it; a `hostPath` is not on this Node, or exists
only on its author's machine, and a directory was created in its place.

## How to tell

The runtime refuses to start the container: `error mounting "SOURCE" to rootfs at "TARGET": … not a
directory`, docker adds `Are you trying to mount a directory onto a file (or vice-versa)?`. The source shows
the owner: below the kubelet's `volume-subpaths` a subPath, below its `volumes` a whole volume, else a path of
the Node.

## Known limits

The message does not show which of the two is the file. A subPath whose file was replaced under a running
container is another cause: volume.subpath-stale. So is the file for a container's termination message:
container.message-path-unusable.

## References

- runc libcontainer/rootfs_linux.go, crun src/libcrun/linux.c, moby daemon/errors.go; mount(2), ENOTDIR
- Kubernetes documentation: hostPath types, Using subPath
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Keys
from unstuck.facts.aspects.pod import Volumes
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_key_object, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

# Old runc names the target with the root file system before it: docker's, containerd's, CRI-O's.
_ROOTFS = regex(r"^/.{1,400}?/(?:merged|rootfs)(?=/)")
_SUBPATH = regex(r"/volume-subpaths/(?P<volume>[^/]{1,253})/")
_WHOLE = regex(r"/volumes/[^/]{1,253}~[^/]{1,253}/(?P<volume>[^/]{1,253})")


@record()
class _Source(Record):
    """The source of a mount. volume: its name if it is one of the Pod's; subpath: a part of it; else a
    path of the Node.
    """

    path: str
    volume: str | None
    subpath: bool = False


@record()
class _KeyMount(Record):
    """A key of a ConfigMap or Secret that a container mounts by subPath. there: whether it has the key, None
    if not looked up.
    """

    object: Ref
    key: str
    field: str
    there: bool | None


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject, snap, lambda f: f.error == "mount-type-mismatch", lambda f: _make_finding(subject, f, snap)
    )


def _source(f: Failure) -> _Source:
    path = f.path or "?"
    if found := _SUBPATH.search(path):
        return _Source(path, found["volume"], subpath=True)
    found = _WHOLE.search(path)
    return _Source(path, found["volume"] if found else None)


def _find_key(subject: Ref, f: Failure, source: _Source, target: str, snap: Facts) -> _KeyMount | None:
    """Return the mount there in the container's spec, if it is one key of an object."""
    volume = next(
        (v for told in snap.of(Volumes, subject) for v in told.items if v.name == source.volume), None
    )
    settings = (
        c for told in snap.of(PodSettings, subject) for c in told.items if f.container in (c.name, None)
    )
    mounts = (
        (c, m)
        for c in settings
        for m in c.sub_paths
        if m.volume == source.volume and m.path.rstrip("/") == target.rstrip("/")
    )
    one, mount = next(mounts, (None, None))
    ref = find_key_object(subject, volume) if volume else None
    if one is None or mount is None or ref is None:
        return None
    key = mount.sub_path.strip("/")
    keys = [k for k in snap.of(Keys, ref) if k.whole]
    return _KeyMount(
        ref, key, f"containers[{one.name}].volumeMounts[{mount.path}]", key in keys[0].names if keys else None
    )


def _make_key_finding(subject: Ref, f: Failure, target: str, one: _KeyMount, snap: Facts) -> Finding:
    """Return the finding for a mount known from the spec: a key is a file, so the existing target is a
    directory.
    """
    file = one.key.rpartition("/")[2]
    path = f"{target.rstrip('/')}/{file}"
    says = say(
        (
            "file {key} of {object} (subPath) is mounted onto {target}, a directory in the image: mountPath "
            "has to be the file's own path"
        ),
        key=one.key,
        object=who(one.object),
        target=target,
    )
    if one.there is None:
        says = say(
            (
                "{key} of {object} (subPath) is mounted onto {target}, and only one of them is a "
                "directory: {target}, if the key exists"
            ),
            key=one.key,
            object=who(one.object),
            target=target,
        )
    mend = Step(
        say("set {field}.mountPath to {path}", field=one.field, path=path),
        where="source",
        verify=_starting.RETRIES,
    )
    return Finding(
        says,
        culprit=make_container_ref(subject, f.container) if f.container else subject,
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(mend,),
        enrich=(Want(Keys, one.object),) if one.there is None else (),
    )


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    source, target = _source(f), _ROOTFS.sub("", f.key or "?")
    key = _find_key(subject, f, source, target, snap) if source.subpath else None
    if key and key.there is not False:
        return _make_key_finding(subject, f, target, key, snap)
    what = say("{path}", path=source.path)
    if source.volume:
        what = say("volume {volume}", volume=source.volume)
    if source.subpath:
        what = say("a subPath of volume {volume}", volume=source.volume)
    return Finding(
        say("{what} is mounted at {target}, but only one of them is a directory", what=what, target=target),
        culprit=make_container_ref(subject, f.container) if f.container else subject,
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=_advise_for_volume(source, target) if source.volume else _advise_for_host(source, subject, snap),
        do_not=(
            DoNot(
                say("delete the file or directory at that path of the node before its owner is known"),
                say("another container may keep its data there"),
            ),
        )
        if not source.volume
        else (),
    )


def _advise_for_volume(source: _Source, target: str) -> tuple[Step, ...]:
    if source.subpath:
        says = say(
            "check that the volume has exactly the key or file in subPath, and that it is not a directory"
        )
    else:
        says = say(
            "mount the one file with subPath, or the volume at a directory: {target} is a file in the image",
            target=target,
        )
    return (Step(says, where="source", verify=_starting.RETRIES),)


def _advise_for_host(source: _Source, subject: Ref, snap: Facts) -> tuple[Step, ...]:
    return (
        Step(
            say("see what is at that path on the node"),
            where=_starting.place_step(subject, snap),
            command=command("ls -ld {path}", path=given.path(source.path)),
        ),
        Step(
            say(
                "put the file on every node the Pod may run on, or provide it by a ConfigMap; with `type: "
                "File` in the hostPath the kubelet reports a missing file clearly"
            ),
            where="source",
            verify=_starting.RETRIES,
        ),
    )


CAUSE = Cause(
    id="volume.mount-type-mismatch",
    title=say("a file is mounted onto a directory, or a directory onto a file"),
    subjects=("Pod",),
    stages=_starting.CONTAINERS,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS | {Keys, PodSettings, Volumes},
    rule=_rule,
)
