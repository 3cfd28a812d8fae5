"""The meaning of each word, one line in each language: docs/*/vocabulary.md is generated from these tables.

A test compares them with the types: a word without an explanation, or with two, fails it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from unstuck.facts.core import Origin, WhyOpen
from unstuck.facts.text import Messages, Text
from unstuck.facts.vocabulary.failures import Operation, RefusalWord, UnreadableWord
from unstuck.facts.vocabulary.stages import EndStage, NamespaceStage, StartStage

say = Messages(__name__)
W = TypeVar("W")


class WordGroup(NamedTuple, Generic[W]):
    """Words of one area, in the order in which the page shows them."""

    title: Text
    words: Mapping[W, Text]


OPERATIONS: tuple[WordGroup[Operation], ...] = (
    WordGroup(
        say("Volumes"),
        MappingProxyType[Operation, Text](
            {
                "volume-provision": say("create a PersistentVolume for a PVC"),
                "volume-attach": say("attach a volume to a Node"),
                "volume-detach": say("detach a volume from a Node"),
                "volume-set-up": say("mount a volume for a Pod"),
                "volume-access": say("look into a Pod's volume, by hand"),
                "volume-tear-down": say("unmount a Pod's volume and empty its directory"),
                "device-unmount": say("unmount a volume's device from the Node"),
                "subpath-clean": say("unmount the subPaths of a volume"),
                "pod-directory-remove": say("remove the directory of a Pod that is gone"),
            }
        ),
    ),
    WordGroup(
        say("Images"),
        MappingProxyType[Operation, Text](
            {
                "image-pull": say("pull a container's image"),
                "image-inspect": say("look an image up in the runtime's store"),
                "pull-secret-read": say("read an imagePullSecret"),
                "sandbox-image-pull": say("pull the sandbox (pause) image"),
            }
        ),
    ),
    WordGroup(
        say("Sandboxes and networks"),
        MappingProxyType[Operation, Text](
            {
                "sandbox-create": say("create a Pod's sandbox"),
                "sandbox-stop": say("stop a Pod's sandbox"),
                "network-set-up": say("add a Pod to its network (CNI ADD)"),
                "network-tear-down": say("remove a Pod from its network (CNI DEL)"),
                "network-ready": say("have the Node's network plugin ready"),
                "netns-remove": say("remove a Pod's network namespace"),
                "pod-address-range": say("get the Node's range of Pod addresses"),
                "apiserver-reach": say("reach the API server from a Pod"),
            }
        ),
    ),
    WordGroup(
        say("Containers"),
        MappingProxyType[Operation, Text](
            {
                "container-create": say("create a container"),
                "container-start": say("start a container"),
                "container-stop": say("stop a container"),
                "container-remove": say("remove a stopped container"),
                "container-inspect": say("ask the runtime for a container's status"),
                "rootfs-remove": say("remove a container's root file system"),
                "snapshot-remove": say("remove a snapshot from containerd's store"),
                "exec": say("run a command in a container"),
                "post-start": say("run a postStart hook"),
                "pre-stop": say("run a preStop hook"),
                "probe-liveness": say("run a liveness probe"),
                "probe-readiness": say("run a readiness probe"),
                "probe-startup": say("run a startup probe"),
                "program-run": say("run the container's own program, by its last words"),
                "log-write": say("write a container's log"),
                "cgroup-remove": say("remove a Pod's cgroups"),
                "resources-prepare": say("prepare a ResourceClaim on the Node"),
                "resources-unprepare": say("release a ResourceClaim on the Node"),
            }
        ),
    ),
    WordGroup(
        say("Pods at the API server"),
        MappingProxyType[Operation, Text](
            {
                "pod-create": say("create a workload's Pod"),
                "schedule": say("find a Node for a Pod"),
                "evict": say("evict a Pod (kubectl drain)"),
                "status-read": say("read a Pod's status from the runtime"),
                "status-update": say("report a Pod's status"),
                "status-delete": say("report that a Pod has ended: the kubelet's final DELETE"),
                "sync": say("bring a Pod to its desired state, without naming the step"),
            }
        ),
    ),
    WordGroup(
        say("Nodes"),
        MappingProxyType[Operation, Text](
            {
                "node-ready": say("be Ready, by the Node's own condition"),
                "node-report": say("report the Node's state or renew its Lease"),
                "kubelet-start": say("start the kubelet"),
                "static-pod-read": say("read the manifest of a static Pod"),
                "runtime-start": say("start the container runtime"),
                "runtime-ready": say("have the container runtime ready"),
                "endpoint-guess": say("try sockets of runtimes that may not be there (crictl)"),
                "process-start": say("start a process on the Node"),
                "file-open": say("open a file on the Node"),
                "access": say("do something that the Node's security policy must allow"),
                "watch": say("watch files by inotify"),
                "module-load": say("load a kernel module"),
                "disk-measure": say("measure a file system's capacity"),
                "certificate-check": say("check a certificate"),
            }
        ),
    ),
)

REFUSALS: Mapping[RefusalWord, Text] = MappingProxyType[RefusalWord, Text](
    {
        "admission-denied": say("a webhook or policy denied it"),
        "webhook-unreachable": say("a required webhook did not respond"),
        "invalid": say("the object as written does not validate"),
        "storage-full": say("etcd takes no more writes"),
    }
)

UNREADABLE: Mapping[UnreadableWord, Text] = MappingProxyType[UnreadableWord, Text](
    {
        "untransformable": say("encrypted with a key that the API server does not have"),
        "kms-failed": say("the KMS plugin does not decrypt it"),
        "undecodable": say("no object of a kind that the API server knows"),
    }
)

START_STAGES: Mapping[StartStage, Text] = MappingProxyType[StartStage, Text](
    {
        "admitted": say("the API server has accepted the Pod"),
        "gates-lifted": say("no scheduling gate is left"),
        "scheduled": say("bound to a Node"),
        "kubelet-accepted": say("the Node's kubelet has taken it up"),
        "devices-and-volumes-prepared": say("volumes are mounted, devices and claims prepared"),
        "sandbox-and-network": say("the sandbox runs and has its network"),
        "init-done": say("every init container has succeeded"),
        "images-pulled": say("the images are on the Node"),
        "containers-created": say("the runtime has created the containers"),
        "started": say("the containers run"),
        "ready": say("the Pod is Ready"),
        "stays-up": say("no container keeps ending"),
    }
)

END_STAGES: Mapping[EndStage, Text] = MappingProxyType[EndStage, Text](
    {
        "requested": say("deletion was requested"),
        "kubelet-saw-it": say("the Node's kubelet has begun to end the Pod"),
        "grace-over": say("the grace period is over"),
        "containers-stopped": say("no container runs"),
        "sandbox-stopped": say("the sandbox is stopped, its network gone"),
        "phase-reported": say("the kubelet has reported a final phase"),
        "volumes-unmounted": say("every volume is unmounted"),
        "cgroup-removed": say("the Pod's cgroups are gone"),
        "final-delete": say("the kubelet has sent its final DELETE"),
        "finalizers-cleared": say("no finalizer is left"),
        "gone": say("the object is gone"),
    }
)

NAMESPACE_STAGES: Mapping[NamespaceStage, Text] = MappingProxyType[NamespaceStage, Text](
    {
        "discovery-works": say("the API can be listed completely"),
        "pods-gone": say("no Pod is left in it"),
        "content-deleted": say("nothing is left in it except objects held by finalizers"),
        "content-finalizers-cleared": say("no finalizer holds any of its content"),
    }
)

WHY_OPEN: Mapping[WhyOpen, Text] = MappingProxyType[WhyOpen, Text](
    {
        "not-asked": say("the question was not asked"),
        "denied": say("the question was refused: mostly for want of rights"),
        "timeout": say("no answer in time"),
        "unreachable": say("the source of the answer could not be reached"),
        "too-large": say("the answer is longer than this program takes"),
        "not-offered": say("the source has no such answer"),
    }
)

ORIGINS: Mapping[Origin, Text] = MappingProxyType[Origin, Text](
    {
        "answer": say("the source refused the question or failed to answer it"),
        "nobody": say("this run had no source for the question"),
        "scan": say("a scan of a large cluster does not put the question"),
    }
)
