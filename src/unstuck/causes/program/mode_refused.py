"""The program refuses a file or directory because others may read or write it

## How it happens

A program that keeps a secret or its data in a file checks first whom the file's mode lets in, and stops if it
is too wide: PostgreSQL's data directory, Erlang's cookie, a private key, the key file of MongoDB. In
Kubernetes that is usually `fsGroup`: at each mount the kubelet gives the volume's files to that group, with
read and write, also where the program has narrowed them before. A Secret's or ConfigMap's files have
`defaultMode` 0644; an NFS export and a hostPath have the mode of the server or the node.

## How to tell

The message names the path and its required mode: `data directory "/…" has invalid permissions`, `Cookie file
… must be accessible by owner only`, `Permissions 0644 for '…' are too open`.

## Known limits

Its evidence is the message alone: it is never more than likely. The path's current mode, and the program that
set it, are not looked at.

## References

- PostgreSQL src/backend/utils/init/miscinit.c; Kubernetes documentation "Configure a Security Context",
  fsGroupChangePolicy
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.causes.program._volume_access import find_message_volume, narrow_mode
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_WIDER = DoNot(say("make the path writable for all"), say("the program refuses it for being open already"))


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("mode-refused",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    c = one.complaint
    means = (
        say("{by} refuses {path} for its mode: {reason}", by=one.by, path=c.path, reason=c.reason)
        if one.by
        else say("the program refuses {path} for its mode: {reason}", path=c.path, reason=c.reason)
    )
    step = narrow_mode(find_message_volume(pod, one, snap))
    return make_finding(pod, one, means, (_look(pod, c.path), step), do_not=(_WIDER,))


def _look(pod: Ref, path: str) -> Step:
    says = say(
        (
            "see the owner and the mode of {path} in the container (ls -ld), and fsGroup and defaultMode in "
            "its Pod"
        ),
        path=path,
    )
    about = pod if pod.kind == "Pod" else Ref("Pod")
    return Step(
        says,
        command=command("kubectl get {pod} {space} -o yaml", pod=given.of(about), space=given.space(about)),
    )


CAUSE = Cause(
    id="program.mode-refused",
    title=say("the program refuses a file or directory because others may read or write it"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
