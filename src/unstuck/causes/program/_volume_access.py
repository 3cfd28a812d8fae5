"""The remedy for a program's denied access to a directory, by the kind of its volume: the fix for one kind
has no effect on another.
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._path_volume import find_volume
from unstuck.causes.program._plain import mend
from unstuck.causes.program._told import ProgramMessage
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, join_texts
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.pod import PodVolume
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

say = Messages(__name__)

# The kubelet mounts these read-only, regardless of their spec (kubernetes pkg/volume/util/atomic_writer.go
# writes them from outside), and root owns them.
OF_OBJECTS = ("secret", "configMap", "projected", "downwardAPI")
# On the node itself: their file system keeps owners, and no server maps root to nobody.
_LOCAL = ("emptyDir", *OF_OBJECTS)
_DEVICE = regex(r"^/dev/(?!shm(?:/|$))")


def find_message_volume(pod: Ref, one: ProgramMessage, snap: Facts) -> PodVolume | None:
    """Return the volume of the path in a program's message; None for a path of its image, or if unknown."""
    path = one.complaint.path
    return find_volume(pod, one.run.name or None, path, snap) if pod.kind == "Pod" and path else None


def give_access(volume: PodVolume | None) -> Step:
    """Return the change that lets a program's user into a volume of this kind."""
    if volume is not None and volume.type == "hostPath":
        return mend(
            say(
                "on the Node give the path to the user or a group of the program (supplementalGroups "
                "adds one), or run the program as its owner; fsGroup does not change a hostPath"
            )
        )
    if volume is not None and volume.type in OF_OBJECTS:
        return mend(
            say(
                "let the mode of its files (defaultMode, or items[].mode) and securityContext.fsGroup "
                "let its user read it; no program can write there: what it writes belongs in an emptyDir"
            )
        )
    if volume is not None and volume.type == "nfs":
        return mend(
            say(
                "have its server give the directory to the user of the program: fsGroup does not change an "
                "export"
            )
        )
    return mend(
        say(
            "give the volume to its user (securityContext.fsGroup), or run it as the user that the path "
            "belongs to"
        )
    )


def narrow_mode(volume: PodVolume | None) -> Step:
    """Return the change that closes the files of a volume of this kind to others."""
    if volume is not None and volume.type in OF_OBJECTS:
        return mend(
            say(
                "set the mode of its files in volume {volume}: defaultMode, or mode of the item, such as "
                "0400 (0440 where fsGroup gives them a group, 0644 if others may read); chmod does not work "
                "there",
                volume=volume.name,
            )
        )
    return mend(
        say(
            "keep the kubelet from widening it at each mount (securityContext.fsGroupChangePolicy: "
            "OnRootMismatch), and narrow it before the program starts, in an init container that runs as the "
            "owner: chmod 0700 of a directory, 0600 of a file; of a file from a Secret set defaultMode"
        )
    )


def find_closed_device(pod: Ref, one: ProgramMessage, snap: Facts) -> PodVolume | None:
    """Return the hostPath with a device that an unprivileged container may see and not open."""
    volume = find_message_volume(pod, one, snap)
    privileged = any(
        c.privileged for f in snap.of(PodSettings, pod) for c in f.items if c.name == one.run.name
    )
    shown = (
        volume is not None
        and volume.type == "hostPath"
        and (_DEVICE.match(one.complaint.path) or _DEVICE.match(volume.what))
    )
    return volume if shown and not privileged else None


def tell_owner_limits(pod: Ref, one: ProgramMessage, snap: Facts) -> Text:
    """Return the possible reasons for a denied change of owner or mode, as far as the spec allows them."""
    spec = find_container_spec(pod, one.run.name or None, snap)
    user = spec.user if spec else None
    if user:
        return say("; it runs as uid {user} (runAsUser), and only root may do that", user=user)
    may = [say("a container that does not run as root")] if user is None else []
    if keeps_owners(pod, one, snap):
        may += [say("a capability that it lacks"), say("a seccomp profile that forbids it")]
    else:
        may.insert(0, say("a volume that maps root to nobody (NFS with root_squash) or keeps no owners"))
    return say("; possible reasons: {may}", may=join_texts(may))


def keeps_owners(pod: Ref, one: ProgramMessage, snap: Facts) -> bool:
    """Tell whether the path is known to lie on the node itself, in the image or in a local volume: no server
    is involved there.
    """
    path, volume = one.complaint.path, find_message_volume(pod, one, snap)
    if volume is not None:
        return volume.type in _LOCAL
    spec = find_container_spec(pod, one.run.name or None, snap)
    return spec is not None and bool(path) and not any(is_at_or_below(path, at) for at, _ in spec.mounts)


def give_ownership(pod: Ref, one: ProgramMessage, snap: Facts) -> Step:
    """Return the change after which the program need not change an owner or a mode."""
    if not keeps_owners(pod, one, snap):
        return mend(
            say(
                "of an NFS volume: export it with no_root_squash, or have its server give the directory to "
                "the user of the image, and run the Pod as that user (runAsUser, fsGroup), without the init "
                "container that changes the owner; else take a volume of block storage"
            )
        )
    volume = find_message_volume(pod, one, snap)
    if volume is not None and volume.type in OF_OBJECTS:
        return mend(
            say("let it copy what it changes into an emptyDir: {volume} is read-only", volume=volume.name)
        )
    spec = find_container_spec(pod, one.run.name or None, snap)
    if spec is not None and spec.user == 0:
        return Step(
            say("see which capabilities (drop) and which seccompProfile its securityContext has"),
            command=command("kubectl get {pod} {space} -o yaml", pod=given.of(pod), space=given.space(pod)),
        )
    return mend(
        say(
            "let it run as the user that the files are for (runAsUser, with fsGroup for a volume), so that "
            "it need not change their owner or mode"
        )
    )


def look_at_owner(node: str, *paths: str) -> Step:
    """Return the look at the owner and mode of paths on a Node."""
    return Step(
        say("see what else uses it, before its owner is changed"),
        where=place_on_node(node),
        command=command("ls -ldn {paths}", paths=given.paths(paths)),
    )
