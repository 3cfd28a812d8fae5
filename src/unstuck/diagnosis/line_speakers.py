"""The programs that write lines, by the marks of their logs, each with the look at their other output."""

from __future__ import annotations

import re

from unstuck.diagnosis import class_commands as by
from unstuck.diagnosis import look_commands
from unstuck.diagnosis.line_class import LineClass, list_looks
from unstuck.diagnosis.line_parts import look_here
from unstuck.diagnosis.looking import NamedLook
from unstuck.diagnosis.text import Messages
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

say = Messages(__name__)

_FREE = say("how much room and how many inodes are left there")
_NEIGHBOURS = say("with which nodes it speaks BGP, and from which of its own addresses")
_SPEAKS = say("what this program says besides")
_KERNEL = say("the kernel's release, and what else it wrote")

# If a line's words have no class, the other output of its program is the next look.
SPEAKERS: tuple[LineClass, ...] = (
    LineClass(
        "room",
        regex(r"no space left on device|not enough space|disk quota exceeded", re.I),
        lambda _, __: NamedLook(by.room(), _FREE),
    ),
    LineClass(
        "calico",
        regex(r"\bcalico/node\b|\bBIRD is\b"),
        lambda _, __: NamedLook(by.calico_neighbours(), _NEIGHBOURS),
    ),
    LineClass(
        "aws-addresses",
        regex(r"\bipamd/|aws-cni|failed to assign an IP address to container"),
        lambda _, __: NamedLook(by.file_end("/var/log/aws-routed-eni/ipamd.log"), _SPEAKS),
    ),
    LineClass(
        "unit",
        regex(
            r"(?:^|\s)(?P<unit>kubelet|containerd|dockerd|crio|cri-dockerd|k3s|k3s-agent|rke2-server"
            r"|rke2-agent|etcd)\[\d{1,9}\]: "
        ),
        lambda m, _: NamedLook(
            look_commands.unit_log(
                {"dockerd": "docker", "cri-dockerd": "cri-docker"}.get(m["unit"], m["unit"])
            ),
            _SPEAKS,
        ),
    ),
    LineClass(
        "kernel",
        regex(r"(?:^|\s)kernel: ?\S|^\[ *\d{1,9}\.\d{6}\]"),
        lambda _, __: NamedLook(by.kernel(), _KERNEL),
    ),
    LineClass(
        "autoscaler",
        # cluster-autoscaler core/, clusterstate/ and cloudprovider/: no other component has these files.
        regex(
            r"\bcluster-autoscaler\b|\b(?:static_autoscaler|clusterstate|auto_scaling_groups|klogx|scale_up"
            r"|scale_down|orchestrator|eligibility)\.go:\d"
        ),
        lambda _, __: look_here(by.log_of(Ref("Deployment", "kube-system", "cluster-autoscaler")), _SPEAKS),
    ),
    LineClass(
        "controller-manager",
        regex(
            r"\bkube-controller-manager\b|\b(?:controllermanager|range_allocator|cidr_allocator|controller_utils"
            r"|node_lifecycle_controller|garbagecollector|namespaced_resources_deleter|attach_detach_controller"
            r"|pv_controller|replica_set|daemon_controller|cronjob_controllerv2)\.go:\d"
        ),
        lambda _, __: look_here(by.log_of_component("kube-controller-manager"), _SPEAKS),
    ),
    LineClass(
        "scheduler",
        regex(r"\bkube-scheduler\b|\b(?:schedule_one|scheduling_queue)\.go:\d"),
        lambda _, __: look_here(by.log_of_component("kube-scheduler"), _SPEAKS),
    ),
    LineClass(
        "cloud-controller",
        regex(r"\bservice_controller\.go:|\bcloud-controller-manager\b|LoadBalancerFailed\b"),
        lambda _, __: look_here(
            by.log_of(Ref("DaemonSet", "kube-system", "cloud-controller-manager")), _SPEAKS
        ),
    ),
    LineClass(
        "cert-manager",
        regex(r"\bcert-manager[./-]"),
        lambda _, __: look_here(by.log_of(Ref("Deployment", "cert-manager", "cert-manager")), _SPEAKS),
    ),
)


def look_of_speaker(line: str, around: str = "") -> NamedLook | None:
    """Return the look at other output of the program that wrote a line; None if the program is unknown."""
    return next(list_looks(SPEAKERS, line, around or line), None)
