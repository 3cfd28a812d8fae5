"""A program that another one runs is not installed there

## How it happens

kubelet, kube-proxy, storage drivers and network plugins run tools of Linux (`conntrack`, `socat`, `iptables`,
`iscsiadm`, `mount.nfs`), and some of them a daemon (`iscsid`); `kubectl` and `helm` run the plugin that a
kubeconfig names for credentials. A minimal system or image does not contain them.

## How to tell

`exec: "NAME": executable file not found in $PATH` without a container's process around it, `unable to do port
forwarding: socat not found`, `exec: executable NAME not found`, `can not connect to iSCSI daemon`.

## Known limits

Its evidence is the message alone: it is never more than likely. If the writer may run in a container or on
the Node, the text does not say which of the two lacks the tool. A container's own first process that is not
in its image is container.command-not-found.

## References

- Go src/os/exec; client-go plugin/pkg/client/auth/exec; open-iscsi usr/iscsid_req.c; kubelet
  pkg/kubelet/dockershim/docker_streaming_others.go (until 1.23)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.knowledge.host_tools import HostTool, find_host_tool

say = Messages(__name__)

# open-iscsi's own words about its daemon.
_ISCSID = ("iSCSI daemon", "Initiatorname")
# These run on the machine itself, never in a container.
_ON_NODES = ("kubelet", "containerd", "crio", "cri-o", "dockerd", "kubeadm", "k3s", "rke2", "systemd")
_ON_THE_NODE = regex(r"port forwarding: |on the host\b|nsenter \[|\bFileExisting-|in root's path")
# What a client says that fetches its credentials.
_CREDENTIALS = regex(
    r"getting credentials|exec plugin|exec: executable |docker-credential-|[Kk]ubernetes cluster unreachable"
)
_FORWARDED = regex(r"to pod (?P<pod>[a-z0-9][a-z0-9.-]{0,252})_(?P<space>[a-z0-9-]{1,63}), uid")
_FOUND = say("the next attempt finds it")
_INITIATOR = say("; /etc/iscsi/initiatorname.iscsi must hold a name there, another one on each node")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("tool-missing",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    said = one.complaint
    name = "iscsid" if said.name in _ISCSID else said.name
    if said.verb:
        return _make_quoted_finding(pod, one)
    tool = find_host_tool(name) or HostTool(name)
    if tool.unit:
        return _make_daemon_finding(pod, one, tool)
    if tool.client or _CREDENTIALS.search(said.line):
        return _make_client_finding(pod, one, tool)
    look = _look(say("where its caller runs: see whether it is there"), name)
    node = one.of if one.of and one.of.kind == "Node" else None
    if node or one.by in _ON_NODES or _ON_THE_NODE.search(said.line):
        means = (
            say("{name} is not installed on Node {node}", name=name, node=node.name)
            if node and node.name
            else say("{name} is not installed on the node", name=name)
        ) + _of_caller(one)
        fix = Step(say("install it on every node that needs it") + _packages(tool), verify=_FOUND)
        return make_finding(pod, one, means, (*_find_node(said.line), look, fix))
    means = say("{name} is not installed where its caller runs: in its image, or on the node", name=name)
    fix = Step(
        say("if it runs in a container: use an image that contains {name}", name=name)
        + say("; if it runs on the machine itself: install it there")
        + _packages(tool),
        verify=_FOUND,
    )
    return make_finding(pod, one, means + _of_caller(one), (look, fix))


def _make_quoted_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a name of a program that ends with a quotation mark or a blank."""
    said = one.complaint
    means = say(
        "the command is {name} with {mark} at its end, and no program has this name: a quotation mark or "
        "blank too many where the command is configured",
        name=said.name,
        mark=said.verb,
    )
    step = mend(say("write the command without it; in YAML each word of it is an item of the list"))
    return make_finding(pod, one, means, (step,))


def _make_daemon_finding(pod: Ref, one: ProgramMessage, tool: HostTool) -> Finding:
    """Return the finding for a daemon of the node that does not answer."""
    means = say("{name} is not running on the node, or is not set up there", name=tool.name)
    look = Step(
        say("on the node: see whether it is installed and running"),
        command=command("systemctl status {unit}", unit=given.unit(tool.unit)),
    )
    fix = Step(
        say("on every node that needs it: install it and start it at each boot (systemctl enable --now)")
        + _packages(tool)
        + (_INITIATOR if tool.name == "iscsid" else NO_TEXT),
        verify=_FOUND,
    )
    return make_finding(pod, one, means + _of_caller(one), (look, fix))


def _make_client_finding(pod: Ref, one: ProgramMessage, tool: HostTool) -> Finding:
    """Return the finding for a program that a client of the cluster or of a registry calls."""
    means = say("{name} is not installed where this command runs, or is not in its $PATH", name=tool.name)
    if _CREDENTIALS.search(one.complaint.line):
        means += say(": it is to get the credentials")
    fix = Step(
        say(
            "install {name} there (on your machine, in the image of the pipeline or of the controller), and "
            "see that it is in $PATH",
            name=tool.name,
        )
        + _packages(tool),
        verify=_FOUND,
    )
    view = Step(
        say("see which program the kubeconfig names for credentials"),
        command=command("kubectl config view --minify"),
    )
    look = _look(say("where the command runs: see whether it is there"), tool.name)
    return make_finding(pod, one, means, (look, view, fix))


def _look(what: Text, name: str) -> Step:
    return Step(what, command=command("command -v {name}", name=given.plain(name)))


def _of_caller(one: ProgramMessage) -> Text:
    return say("; {who} calls it", who=one.by) if one.by else NO_TEXT


def _packages(tool: HostTool) -> Text:
    """Return the packages that contain a tool, as the end of a sentence."""
    if tool.debian and tool.redhat and tool.debian != tool.redhat:
        return say(
            ": package {debian} (Debian, Ubuntu) or {redhat} (RHEL, Fedora)",
            debian=tool.debian,
            redhat=tool.redhat,
        )
    name = tool.debian or tool.redhat
    return say(": package {name}", name=name) if name else NO_TEXT


def _find_node(line: str) -> tuple[Step, ...]:
    """Return the step that shows the node of the Pod in a message about a forwarded port."""
    found = _FORWARDED.search(line)
    if not found:
        return ()
    of = Ref("Pod", found["space"], found["pod"])
    return (
        Step(
            say("see on which node it runs: the tool is needed there, not where kubectl runs"),
            command=command("kubectl get {pod} {space} -o wide", pod=given.of(of), space=given.space(of)),
        ),
    )


CAUSE = Cause(
    id="program.tool-missing",
    title=say("a program that another one runs is not installed there"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
