"""The program ends because it writes to a read-only file system

## How it happens

The program writes a file (a pid, a cache, a log) where it may not, and gives up: its container has
`readOnlyRootFilesystem`, the volume is mounted with `readOnly`, a ConfigMap or Secret is mounted there, or
the file system of the node was turned read-only by an error of its disk.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `Read-only file system`
or `EROFS`, usually with the path.

## Known limits

The Pod's spec, if seen, shows which of these it is, and the advice follows from that; it stays likely. How a
volume's file system is mounted, where the spec does not say `readOnly`, is not looked up.

## References

- Linux errno(3), EROFS; documentation "Configure a Security Context for a Pod or Container"
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._path_volume import find_volume
from unstuck.causes.program._plain import look_at_mounts, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.causes.program._volume_access import OF_OBJECTS
from unstuck.causes.volume._on_node import find_volume_path
from unstuck.diagnosis import given, look_commands
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import PodVolume
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below

say = Messages(__name__)

# The kernel's, and read-only in every unprivileged container (opencontainers/runtime-spec config-linux.md,
# readonlyPaths).
_KERNEL = ("/proc", "/sys")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("read-only",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    path = one.complaint.path
    means = (
        say("it cannot write {path}, where the file system is read-only", path=path)
        if path
        else say("it writes to a read-only file system")
    )
    return make_finding(
        pod, one, means, _help(pod, one.run.name or None, path, snap) or (look_at_mounts(pod),)
    )


def _help(pod: Ref, container: str | None, path: str, snap: Facts) -> tuple[Step, ...]:
    """Return the steps for this path, by its spec; none if the spec or the path was not seen."""
    spec = find_container_spec(pod, container, snap)
    if spec is None or not path:
        return ()
    kernel = any(is_at_or_below(path, top) for top in _KERNEL)
    mount = max((at for at, _ in spec.mounts if is_at_or_below(path, at)), key=len, default=None)
    volume = find_volume(pod, container, path, snap)
    always, declared = volume is not None and volume.type in OF_OBJECTS, mount in spec.read_only
    root = mount is None and not kernel and "/" in spec.read_only
    told = always or declared or root or kernel
    return fitting(
        Remedy(
            kernel and mount is None,
            mend(
                say(
                    "set it on the Node, or by securityContext.sysctls: the kernel's own files are "
                    "read-only there"
                )
            ),
        ),
        Remedy(
            always,
            mend(
                say(
                    (
                        "let it write elsewhere, or copy the files into an emptyDir before it starts: a "
                        "{type} volume is always read-only"
                    ),
                    type=volume.type if volume else "",
                )
            ),
        ),
        Remedy(
            declared and not always,
            mend(
                say(
                    (
                        "remove readOnly from the mount of {at} if it is meant to write there, or make it "
                        "write elsewhere"
                    ),
                    at=mount or "",
                )
            ),
        ),
        Remedy(
            root,
            mend(
                say(
                    "readOnlyRootFilesystem is set: mount a volume at the path it writes to, an emptyDir if "
                    "its data may go with the Pod, a PVC if not"
                )
            ),
        ),
        *(() if told else _list_looks(pod, container, path, volume, snap)),
    )


def _list_looks(
    pod: Ref, container: str | None, path: str, volume: PodVolume | None, snap: Facts
) -> tuple[Step, ...]:
    """Return the look at a file system made read-only by its mounter, or by the kernel after an error, and
    not by the spec.
    """
    node, at = find_node_of_pod(pod, snap), find_volume_path(pod, container, path, snap)
    where = place_on_node(node.name if node else None)
    if volume is not None and volume.type == "persistentVolumeClaim" and volume.what:
        claim = Ref("PersistentVolumeClaim", pod.within, volume.what)
        return (
            Step(
                say("see which access modes and mount options the volume is mounted with"),
                command=command(
                    "kubectl describe {claim} {space}", claim=given.of(claim), space=given.space(claim)
                ),
            ),
            _look_at_kernel(where),
        )
    if at is not None and at.path:
        says = say("see how the file system under {path} is mounted on that node", path=at.path)
        return (Step(says, where=where, command=look_commands.mount_under(at.path)), _look_at_kernel(where))
    return (_look_at_kernel(where),)


def _look_at_kernel(where: str) -> Step:
    return Step(
        say("see whether the kernel has made the file system read-only after an error of its disk"),
        where=where,
        command=look_commands.bad_disk(),
    )


CAUSE = Cause(
    id="program.read-only-file-system",
    title=say("the program ends because it writes to a read-only file system"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
