"""What follows from a line that shows why another line of the same text reports an error: a sentence, and the
first step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.beside import Relation, ShownReason
from unstuck.facts.record import Record, record

say = Messages(__name__)

# The default of --service-node-port-range: pkg/kubeapiserver/options/options.go.
_NODE_PORTS = range(30000, 32768)
_DONE = say("the next attempt gets past this line")


@record()
class Told(Record):
    """says: the addition to the finding's sentence. steps: the first ones. alone: whether they are instead of
    the finding's other changes. seen: whether the finding's own looks show nothing more.
    """

    says: Text
    steps: tuple[Step, ...] = ()
    alone: bool = False
    seen: bool = False


def explain_beside(found: ShownReason) -> Told:
    """Return the meaning of the deciding line."""
    return _TOLD[found.relation](found)


def _change(says: Text) -> Step:
    return Step(says, where="source", verify=_DONE)


def _tell_port(found: ShownReason) -> Told:
    port = int(found.value)
    says = say("; {name} (process {pid}) listens on port {port}", name=found.name, pid=found.other, port=port)
    if found.name != "kube-proxy" or port not in _NODE_PORTS:
        return Told(says, seen=True)
    look = Step(
        say("see which Service has NodePort {port}", port=port), command=command("kubectl get services -A")
    )
    return Told(says + say("; it is in the range of NodePorts, so a Service has it"), (look,), seen=True)


def _tell_full(found: ShownReason) -> Told:
    at, device = found.name, found.other
    says = say("; the file system {at} ({device}, {size}) is full", at=at, device=device, size=found.value)
    step = _change(say("make room in {at}, or enlarge what is mounted there", at=at))
    return Told(says, (step,), seen=True)


def _tell_inodes(found: ShownReason) -> Told:
    says = say("; the file system {at} has no inodes left: more bytes do not help", at=found.name)
    return Told(says, (_change(say("delete files in {at} that are not needed", at=found.name)),), True, True)


def _tell_export(found: ShownReason) -> Told:
    says = say("; the server exports {exports}, and not {path}", exports=found.value, path=found.name)
    step = say(
        "mount a path that the server exports ({exports}), or export {path} there",
        exports=found.value,
        path=found.name,
    )
    return Told(says, (_change(step),), alone=True)


def _tell_keys(found: ShownReason) -> Told:
    says = say("; “{line}” has two keys on one line: a line break is missing", line=found.value)
    step = say(
        "put a line break before the second key of “{line}”, in the template or the values that write it",
        line=found.value,
    )
    return Told(says, (_change(step),), alone=True)


def _tell_tab(found: ShownReason) -> Told:
    says = say("; “{line}” is indented with a tab, which YAML does not allow", line=found.name)
    return Told(says, (_change(say("indent “{line}” with spaces", line=found.name)),), alone=True)


def _tell_block(found: ShownReason) -> Told:
    says = say("; {key} is given as a block of text (“|”), where keys are wanted", key=found.name)
    step = say("remove the “|” after {key}, so that the lines below become its keys", key=found.name)
    return Told(says, (_change(step),), alone=True)


def _tell_indentation(found: ShownReason) -> Told:
    says = say(
        "; “{line}” is indented by {own} spaces, as no key above it is ({other} in the line above)",
        line=found.name,
        own=found.value,
        other=found.other,
    )
    step = say("indent “{line}” like its neighbours: in a template by its nindent", line=found.name)
    return Told(says, (_change(step),), alone=True)


def _tell_loopback(found: ShownReason) -> Told:
    who = same_in_both(found.name) if found.name else say("the server")
    says = say(
        "; {who} listens on {at}:{port} alone, which only its own machine or Pod reaches",
        who=who,
        at=found.other,
        port=found.value,
    )
    return Told(
        says,
        (_change(say("have it listen on 0.0.0.0 (or ::), provided that it asks for a login")),),
        alone=True,
    )


def _tell_outside(found: ShownReason) -> Told:
    says = say(
        "; {client} was run outside of the cluster, whose own DNS alone knows names of Services",
        client=found.name,
    )
    service, namespace = found.value, found.other
    step = Step(
        say(
            "reach Service {service} from here by a forwarded port, or run {client} in a Pod",
            service=service,
            client=found.name,
        ),
        command=command(
            "kubectl port-forward {service} PORT {at}",
            service=given.obj("service", service),
            at=given.namespace(namespace),
        ),
        verify=_DONE,
    )
    return Told(says, (step,), alone=True, seen=True)


def _tell_line_break(found: ShownReason) -> Told:
    says = say("; “{value}” ends with a line break, which makes it a different value", value=found.name)
    look = Step(say("decode the value in its Secret, and look at its end (`| base64 -d | od -c | tail`)"))
    step = say("write the value again without it: `printf %s` or `echo -n` before base64")
    return Told(says, (look, _change(step)), alone=True)


def _tell_variable(found: ShownReason) -> Told:
    used = say(" in {word}", word=found.value) if found.value else NO_TEXT
    says = say("; variable {name} is empty", name=found.name) + used
    step = say(
        "set {name} where this runs; a CI server gives a protected variable to protected branches only",
        name=found.name,
    )
    return Told(says, (_change(step),), alone=True)


def _tell_architecture(found: ShownReason) -> Told:
    what = same_in_both(found.name) if found.name else say("the image")
    return Told(
        say("; {what} is built for {arch}, beside {other}", what=what, arch=found.value, other=found.other)
    )


def _tell_owner(found: ShownReason) -> Told:
    says = say(
        "; {path} belongs to {owner} (mode {mode})", path=found.name, owner=found.value, mode=found.other
    )
    return Told(says, seen=True)


def _tell_user(found: ShownReason) -> Told:
    says = say("; the manifest has it run as user {user} (runAsUser), who is not root", user=found.name)
    look = Step(say("see which user the image is made for: its documentation or its entrypoint names it"))
    return Told(says, (look, _change(say("set runAsUser, runAsGroup and fsGroup to that user"))))


def _tell_second_line(found: ShownReason) -> Told:
    says = say(
        "; “{parameters}” stands on a second line of {file}, of which only the first line is read",
        parameters=found.value,
        file=found.name,
    )
    step = Step(
        say("join the lines of {file} into one, and reboot the machine: its Pods stop", file=found.name),
        risk="disrupts",
        verify=say("/proc/cmdline contains the parameters"),
    )
    return Told(says, (step,), alone=True)


def _tell_setting(found: ShownReason) -> Told:
    says = say(
        "; the configuration shown has {name}: {value}, but the kubelet uses {other}: it does not read that "
        "file, or was not restarted since",
        name=found.name,
        value=found.value,
        other=found.other,
    )
    look = Step(
        say("on the node, see which file the kubelet reads (--config) and whether a flag overrides it"),
        command=command("ps -ww -C kubelet -o args"),
    )
    return Told(says, (look,))


def _tell_kept(found: ShownReason) -> Told:
    says = say(
        "; its data was there before (“{line}”), so the password of that time is valid, and not the one that "
        "a Secret has now",
        line=found.name,
    )
    step = say(
        "put the earlier password back into the Secret (`helm get values`, a backup, another revision), or "
        "change the user's password in the server to the Secret's"
    )
    return Told(says, (_change(step),))


def _tell_unquoted(found: ShownReason) -> Told:
    return Told(
        say("; it is {value}, without quotes, of variable {name}", value=found.value, name=found.name)
    )


_TOLD: Mapping[Relation, Callable[[ShownReason], Told]] = MappingProxyType(
    {
        "block-string": _tell_block,
        "data-kept": _tell_kept,
        "export-missing": _tell_export,
        "file-system-full": _tell_full,
        "indentation": _tell_indentation,
        "inodes-used-up": _tell_inodes,
        "keys-on-one-line": _tell_keys,
        "line-break": _tell_line_break,
        "loopback-only": _tell_loopback,
        "name-outside": _tell_outside,
        "other-architecture": _tell_architecture,
        "path-owner": _tell_owner,
        "port-held": _tell_port,
        "run-as": _tell_user,
        "second-line": _tell_second_line,
        "setting-unread": _tell_setting,
        "tab": _tell_tab,
        "unquoted": _tell_unquoted,
        "variable-empty": _tell_variable,
    }
)
