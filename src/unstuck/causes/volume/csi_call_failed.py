"""A CSI driver's call for a volume fails or does not return

## How it happens

The driver's node plugin is registered, but its call fails: its backend does not answer, its credentials are
gone, the device vanished, or its process ended and left its socket behind. The kubelet waits up to two
minutes for each call, and retries forever with a pause of two minutes. The Pod stays, and no event is
written. A starting Pod waits in the same way if the driver fails to attach or to mount, or if its attacher
does not respond: its controller does not run, has another name, or may not write its result.

## How to tell

The kubelet's log repeats `UnmountVolume.TearDown failed` or `UnmountDevice failed` for a CSI volume with the
driver's own error (`rpc error: code = …`) or `DeadlineExceeded`. The CSINode lists the driver, and the
volume's directory still exists. At a start the Events `FailedAttachVolume` and `FailedMount` repeat such an
error, or `timed out waiting for external-attacher of NAME CSI driver`.

## Known limits

The reason is only in the driver's own log. If its error is a busy mount, mount.busy names the holder. For a
start this is likely at most, and only without a more specific message. An attacher that does not report in
time may be absent, may be refused by its cloud, or may not write its result: from this message alone it is
possible.

## References

- pkg/volume/csi/csi_mounter.go, csi_attacher.go (csiTimeout), csi_client.go
- container-storage-interface specification, NodeUnpublishVolume and NodeUnstageVolume
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.causes._commands import list_pods_on
from unstuck.causes._relations import advise_relation
from unstuck.causes.volume import _csi
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, hearsay, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import CsiVolume, VolumeData
from unstuck.facts.aspects.objects import Deletion, Events, Failure
from unstuck.facts.aspects.pod import Placement, Volumes
from unstuck.facts.aspects.storage import CsiDrivers
from unstuck.facts.core import Ref, Want, shorten
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.overdue import is_overdue

say = Messages(__name__)

_ERRORS: tuple[ErrorWord, ...] = (
    "call-failed",
    "deadline-exceeded",
    "timeout",
    "connection-refused",
    "EHOSTUNREACH",
    "ENETUNREACH",
)
_STARTING: tuple[Operation, ...] = ("volume-attach", "volume-set-up")
_BY_DRIVER = "rpc error: code = "
# The driver's node plugin listens there.
_SOCKET = regex(r"\bdial unix (?P<path>/\S{1,300}\.sock)\b")
_MOUNT = regex(r"(?P<root>/[^\s:\"]{3,200}?)/pods/[^\s/:]{1,80}/volumes/kubernetes\.io~csi/")
_USUAL_ROOT = "/var/lib/kubelet"
_SHORT = 240
# A server's answer within the driver's, as Rancher's client prints it: longhorn-manager
# csi/controller_server.go.
_ANSWERED = regex(
    r"Body: \[[^\n]{0,200}?\bmessage=(?P<said>[^\n]{2,600}?)(?:, (?:code|detail)=|\] from |\]$)"
)
# Errors within the driver; none of these alone is more specific.
_WITHIN: tuple[ErrorWord, ...] = (
    "connection-refused",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EEXIST",
    "ENOENT",
    "EINVAL",
)
# Its columns show each attachment's driver and its answer.
_ATTACHMENTS = (
    "kubectl get volumeattachments -o "
    "custom-columns=NAME:.metadata.name,DRIVER:.spec.attacher,VOLUME:.spec.source.persistentVolumeName,"
    "NODE:.spec.nodeName,ATTACHED:.status.attached,ERROR:.status.attachError.message"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    if not is_being_deleted(pod, snap) and any(_fails_at_start(f) for f in snap.of(Failure, pod)):
        return _judge_start(pod, snap)
    node = find_node_of_pod(pod, snap)
    used, left = _csi.find_drivers(pod, snap), _csi.find_remaining_volumes(pod, snap)
    failed = _unmount_failures(pod, left, snap)
    there = _find_with_driver(pod, node, left, snap)
    if not failed.value:
        # Which drivers are registered is a question only once a call has failed.
        there = there._replace(wants=())
    asked: Sign[Failure] = (
        failed if failed.value or node is None else Sign(None, wants=(Want(LogSeen, node),))
    )
    return Signs(
        applies=is_overdue(pod, snap),
        necessary={"a volume of it has a CSI driver": used, "the kubelet's call to the driver failed": asked},
        decisive={"the driver is registered, and its volume is still there": all_of([left, there])},
        supporting={"the kubelet says so": failed},
        finding=lambda: _make_finding(
            pod, node, failed.hits[-1], _volume(failed.hits[-1], left.hits), _find_only_driver(used.hits)
        ),
    )


def _judge_start(pod: Ref, snap: Facts) -> Signs:
    """Return the signs for a Pod whose volume is not attached or mounted; why it fails, the driver's log
    shows.
    """
    said = _starting.start_failures(pod, snap, _fails_at_start)
    more = _starting.start_failures(
        pod,
        snap,
        lambda f: f.operation in _STARTING and f.error not in _starting.VAGUE and not _fails_at_start(f),
    ).hits
    return Signs(
        necessary={"the last attempt failed this way": said},
        # The Events show whether it was attached since.
        decisive={
            "nothing attached or mounted it since": Sign(None, said.hits, said.seen, (Want(Events, pod),))
        },
        supporting={
            "a message says so, and none says anything more particular": Sign(None)
            if more
            else _starting.keep_telling(said)
        },
        finding=lambda: _make_finding_at_start(pod, _starting.pick_latest(said.hits), snap),
    )


def _fails_at_start(f: Failure) -> bool:
    """Tell whether a call failed at the start. A mount that timed out is another cause: it need not have
    waited for the driver.
    """
    if f.operation not in _STARTING:
        return False
    if f.error in ("attacher-silent", "call-failed"):
        return True
    waited = f.operation == "volume-attach" and f.error in _ERRORS
    by_driver = _BY_DRIVER in f.src.quote or _SOCKET.search(f.src.quote) is not None
    return (by_driver and (waited or f.error in _WITHIN)) or bool(_find_other_root(f))


def _find_other_root(f: Failure) -> str:
    """Return the kubelet's own directory, if it is not the usual one and a path of a CSI volume below it is
    missing: then the driver mounts elsewhere. "" for every other failure.
    """
    found = _MOUNT.search(f.path or f.message) if f.error == "ENOENT" else None
    return found["root"] if found and found["root"] != _USUAL_ROOT else ""


def _find_with_driver(pod: Ref, node: Ref | None, left: Sign[CsiVolume], snap: Facts) -> Sign[CsiVolume]:
    """Find volumes on the Node's disk whose driver the CSINode lists."""
    if node is None:
        return Sign(None, wants=(Want(Placement, pod),))
    if not left.value:
        return Sign(None, wants=(Want(CsiDrivers, node),))
    return some(snap, CsiDrivers, node, lambda f: [v for v in left.hits if v.driver in f.names])


def _unmount_failures(pod: Ref, left: Sign[CsiVolume], snap: Facts) -> Sign[Failure]:
    """Find failed unmounts of a volume that is a CSI volume on the Node, or whose message is a driver's."""
    names = {v.name for v in left.hits}
    return hearsay(
        snap,
        Failure,
        pod,
        lambda f: (
            [f]
            if f.operation in _csi.TEAR_DOWN
            and f.error in _ERRORS
            and (f.error == "call-failed" or _names_volume(f, names))
            else []
        ),
    )


def _names_volume(failure: Failure, names: set[str]) -> bool:
    return bool(failure.volume) and any(
        failure.volume == n or (failure.volume or "").endswith((f"^{n}", f"-{n}")) for n in names
    )


def _volume(failure: Failure, left: tuple[CsiVolume, ...]) -> CsiVolume | None:
    return next((v for v in left if _names_volume(failure, {v.name})), left[0] if len(left) == 1 else None)


def _find_only_driver(drivers: tuple[str, ...]) -> str | None:
    """Return the Pod's only driver; with several, only the volume identifies it."""
    return drivers[0] if len(set(drivers)) == 1 else None


def _make_finding(
    pod: Ref, node: Ref | None, failure: Failure, volume: CsiVolume | None, only: str | None
) -> Finding:
    on = same_in_both(node.name) if node and node.name else say("its Node")
    known = volume.driver if volume else only
    driver = say("CSI driver {known}", known=known) if known else say("The CSI driver")
    name = (volume.name if volume else failure.volume) or "?"
    hangs = failure.error != "call-failed"
    how = say("does not return from unmounting") if hangs else say("fails to unmount")
    said = failure.message or failure.key
    code = (say("driver: {said}", said=said),) if said and not hangs else ()
    return Finding(
        say("{driver} on {on} {how} volume {name}", driver=driver, on=on, how=how, name=name),
        culprit=Ref("CSIDriver", node.name if node else None, known),
        blocks=(pod,),
        notes=(*code, *((say("the volume is still mounted"),) if volume and volume.mounted else ())),
        help=(
            Step(
                say(
                    "find the reason in the log of the driver's node Pod there, and fix it (backend, "
                    "credentials, device); the kubelet retries automatically within about 2 min"
                ),
                command=list_pods_on(node.name if node else None),
                verify=say("the Pod is deleted"),
            ),
            Step(
                say(
                    "if it hangs although the backend responds, restart the driver's node Pod; mounts served "
                    "by its own process (FUSE) end for all Pods on that node"
                ),
                risk="disrupts",
            ),
        ),
        do_not=(_csi.do_not_force(),),
    )


def _make_finding_at_start(pod: Ref, f: Failure, snap: Facts) -> Finding:
    attach = f.operation == "volume-attach"
    return Finding(
        _describe_failure(f) + (NO_TEXT if attach else _starting.say_on_node(pod, snap)),
        culprit=Ref(
            "CSIDriver",
            None if attach else _starting.find_node_name(pod, snap),
            f.object.name if f.object else None,
        ),
        blocks=_starting.list_blocked_objects(pod, snap),
        notes=_list_words(f),
        help=(*_mend_relation(f), *_help_attach())
        if attach
        else (
            *((_correct_root(root),) if (root := _find_other_root(f)) else ()),
            *_help_mount(_starting.find_node_name(pod, snap)),
        ),
        do_not=(
            DoNot(
                say("delete the PVC or its PersistentVolume"),
                say("the driver still fails, and the data is lost"),
            ),
        ),
    )


def _list_words(f: Failure) -> tuple[Text, ...]:
    """Return the driver's whole message, if it was kept: a bare errno is no explanation."""
    said = f.src.quote.partition(_BY_DRIVER)[2].partition(" desc = ")[2]
    return (say("kubelet: {said}", said=said),) if said and f.error in _WITHIN else _starting.quote(f)


def _describe_failure(f: Failure) -> Text:
    name = _starting.say_volume(f)
    if f.error == "attacher-silent":
        driver = say("CSI driver {object}", object=f.object.name) if f.object else say("the CSI driver")
        return say(
            "the attacher of {driver} does not report in time that {name} is attached",
            driver=driver,
            name=name,
        )
    if f.key == "Aborted":
        return say("the CSI driver has not returned from an earlier call for {name}", name=name)
    if root := _find_other_root(f):
        return say(
            "the CSI driver does not mount {name} where this kubelet looks for it: this kubelet's own "
            "directory is {root}, and the driver has another one",
            name=name,
            root=root,
        )
    what = say("attach") if f.operation == "volume-attach" else say("mount")
    if socket := _SOCKET.search(f.src.quote):
        return say(
            "the CSI driver cannot {what} {name}: nothing answers at its socket {path}, so its node Pod is"
            " not running there",
            what=what,
            name=name,
            path=socket["path"],
        )
    failed = say("the CSI driver fails to {what} {name}", what=what, name=name)
    said = _find_innermost(f)
    return failed + say(": {said}", said=said) if said else failed


def _find_innermost(f: Failure) -> str:
    """Return the driver's own description of its error: the output of a mounting program, else the last
    clauses of its answer; "" if neither was kept.
    """
    said = f.message.replace("\\n", "\n").partition(" desc = ")[2]
    if answered := _ANSWERED.search(said):
        return shorten(answered["said"].strip(), _SHORT)
    printed = said.rpartition("Output: ")[2].strip().splitlines() if "Output: " in said else []
    lines = [line.strip() for line in printed or said.splitlines()[:1] if line.strip()]
    return shorten(lines[-1].rstrip(' "\\'), _SHORT) if lines else ""


def _mend_relation(f: Failure) -> tuple[Step, ...]:
    """Return what to change where the storage's own answer says what does not go together."""
    says = advise_relation(_find_innermost(f))
    return (Step(says, where="source"),) if says else ()


def _help_attach() -> tuple[Step, ...]:
    return (
        Step(
            say("see the driver's result for each node"),
            command=command(_ATTACHMENTS),
        ),
        Step(
            say(
                "read the log of the driver's controller, its container csi-attacher first: check that it is "
                "running, uses the driver name in the PersistentVolume, may patch volumeattachments and "
                "their status, and that its storage allows attaching"
            ),
            where="source",
            verify=say("the volume is attached automatically within minutes"),
        ),
    )


def _correct_root(root: str) -> Step:
    """Return the step that corrects the directory of a driver that was installed for another one."""
    return Step(
        say(
            "install the driver for {root}: its chart's value or variable for the kubelet's directory, and "
            "its hostPath volumes",
            root=root,
        ),
        where="source",
        verify=_starting.RETRIES,
    )


def _help_mount(node: str | None) -> tuple[Step, ...]:
    return (
        Step(
            say(
                "find the reason in the log of the driver's node Pod there, and fix it (backend, "
                "credentials, device)"
            ),
            command=list_pods_on(node),
            verify=_starting.RETRIES,
        ),
    )


CAUSE = Cause(
    id="volume.csi-call-failed",
    title=say("a CSI driver reports an error for a volume"),
    subjects=("Pod",),
    stages=("volumes-unmounted", *_starting.VOLUMES),
    reads=_starting.READS | {Deletion, Placement, Volumes, VolumeData, Failure, LogSeen, CsiDrivers},
    rule=_rule,
)
