"""The Node cannot mount this kind of file system

## How it happens

The Node lacks a prerequisite of the volume's file system: the helper program (`mount.nfs` of nfs-common or
nfs-utils, `mount.cifs` of cifs-utils), the daemon for the locks of NFS 3 (`rpc.statd`), the kernel module
(`xfs`, `nfs`), the program that formats (`mkfs.xfs`), or a kernel that knows the features with which newer
tools formatted it.

## How to tell

`FailedMount` repeats with `you might need a /sbin/mount.<type> helper program`, `unknown filesystem type
'x'`, or `mkfs.x: executable file not found`, or, of Ceph's RBD and others, `modprobe: FATAL: Module rbd not
found in directory /lib/modules/…`; the kernel's log says `Superblock has unknown read-only compatible
features` or `unsupported optional features`.

## Known limits

mount(8) prints the hint about a helper only if it found none. A CSI driver brings its own programs, so there
the driver's image lacks them.

## References

- util-linux libmount/src/context_mount.c; kernel fs/xfs/libxfs/xfs_sb.c, fs/ext4/super.c;
  kubernetes/kubernetes issue 30310
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)


_ERRORS: tuple[ErrorWord, ...] = (
    "helper-missing",
    "fs-unknown",
    "features-unknown",
    "lock-daemon-down",
    "module-missing",
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject, snap, _is_match, lambda f: _make_finding(subject, f, snap), of_node=False
    )


def _is_match(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error in _ERRORS


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    name = _starting.say_volume(f)
    helper = f" {f.key}" if f.key else ""
    what = {
        "helper-missing": say("needs a mount helper{helper} that is not installed", helper=helper),
        "fs-unknown": say("has unsupported file system {key}", key=f.key),
        "module-missing": say(
            "needs kernel module {key}, which is not found {where}",
            key=f.key,
            where=_describe_in_directory(f),
        ),
        "lock-daemon-down": say("needs rpc.statd for NFS locks, which is not running there"),
        "features-unknown": say("has an RBD image with features that the kernel there does not support")
        if _is_of_rbd(f)
        else say("was formatted with features the kernel does not support"),
    }[f.error]
    todo = {
        "helper-missing": say(
            "install the client of that storage there (nfs-common or nfs-utils, cifs-utils, open-iscsi or "
            "iscsi-initiator-utils, ceph-common, glusterfs-client), and in the image for new nodes; if a CSI "
            "driver or a kubelet in a container lacks it, in that image"
        ),
        "fs-unknown": say("load or install support for {key} there", key=f.key),
        "module-missing": say(
            "install the modules of the kernel that runs there (/lib/modules has a directory of its "
            "release) and load {key}; where kubelet or the driver runs in a container, mount the "
            "host's /lib/modules into it",
            key=f.key,
        ),
        "lock-daemon-down": say(
            "start rpc.statd there (from nfs-common or nfs-utils), or mount with NFS 4 if the server "
            "supports it: that does not need it"
        ),
        "features-unknown": say(
            "remove the features that the kernel lacks from the image (rbd feature disable, as its message"
            " says), and from imageFeatures of the StorageClass for new images; or run a newer kernel "
            "there"
        )
        if _is_of_rbd(f)
        else say(
            "mount it on a node with a newer kernel, or upgrade this one; format future volumes without "
            "these features"
        ),
    }[f.error]
    return Finding(
        say("{name} {what}", name=name, what=what) + _starting.say_on_node(subject, snap),
        culprit=_starting.make_volume_ref(subject, f),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(Step(todo, where=_starting.place_step(subject, snap), verify=_starting.RETRIES),),
        do_not=(
            DoNot(
                say("format the volume again"),
                say("its data is lost, although the data is fine"),
            ),
        ),
    )


def _is_of_rbd(f: Failure) -> bool:
    """Tell whether the features belong to a block device of Ceph, and not to a file system."""
    return "rbd" in f.message.lower()


def _describe_in_directory(f: Failure) -> Text:
    return say("in {path}", path=f.path) if f.path else say("where it is searched for")


CAUSE = Cause(
    id="volume.filesystem-unsupported",
    title=say("the node cannot mount this kind of file system"),
    subjects=("Pod", "Node"),
    stages=_starting.VOLUMES,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
