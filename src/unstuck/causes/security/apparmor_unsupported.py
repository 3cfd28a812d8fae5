"""The Node cannot apply the requested AppArmor profile

## How it happens

A container asks for an AppArmor profile, by `appArmorProfile`, an annotation, or the runtime's default. This
Node's kernel has AppArmor not enabled or only in part (WSL, some cloud kernels, nested containers), the
program that loads profiles (apparmor_parser) is not installed, or the profile of that name is not loaded
there.

## How to tell

The Pod is Failed, or Pending with containers that are Blocked (through 1.30), with reason AppArmor, `Cannot
enforce AppArmor: AppArmor is not enabled on the host`, or the container fails with `apparmor profile not
found X`, `get apparmor_parser version: exec: "apparmor_parser": executable file not found` or `apparmor
failed to apply profile: write /proc/self/attr/…/exec`.

## Known limits

A denial by a loaded profile shows in the program's own failures, not here.

## References

- Kubernetes pkg/security/apparmor/validate.go, pkg/kubelet/lifecycle/handlers.go; runc
  libcontainer/apparmor/apparmor_linux.go
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import replace

say = Messages(__name__)

_REASON = "AppArmor"
# Through 1.30 the Pod stays Pending, and its containers wait with the reason Blocked.
_REFUSED = ("Failed", "Pending")


def _rule(subject: Ref, snap: Facts) -> Signs:
    rejected = some(
        snap,
        Phase,
        subject,
        lambda f: [f.message or f.reason] if f.phase in _REFUSED and f.reason == _REASON else [],
    )
    base = _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))
    if not rejected.value:
        return replace(
            base,
            decisive={
                k: v._replace(wants=(*v.wants, Want(Phase, subject))) for k, v in base.decisive.items()
            },
        )
    message = rejected.hits[0]
    failure = Failure(
        about=subject,
        src=rejected.seen[0].src,
        whole=False,
        operation="container-create",
        error="apparmor-unsupported",
        message=message,
    )
    said: Sign[str] = any_of([rejected])
    return replace(
        base,
        necessary={"the last attempt failed this way": said},
        decisive={"the kubelet rejects the Pod for it, or keeps it blocked": said},
        supporting={},
        finding=lambda: _make_finding(subject, failure, snap),
    )


def _is_match(f: Failure) -> bool:
    return f.error == "apparmor-unsupported"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    return Finding(
        say("the node cannot apply the requested AppArmor profile")
        + (say(": {key}", key=f.key) if f.key else NO_TEXT)
        + _starting.say_on_node(subject, snap),
        culprit=Ref("AppArmor", _starting.find_node_name(subject, snap), f.key or "profile"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say("see whether AppArmor is enabled and which profiles are loaded"),
                where=_starting.place_step(subject, snap),
                command=command(
                    "sh -c 'cat /sys/module/apparmor/parameters/enabled "
                    "/sys/kernel/security/apparmor/profiles'"
                ),
            ),
            Step(
                say(
                    "load the profile on every node the Pod may run on (apparmor_parser comes with "
                    "the package apparmor), or schedule the Pod to nodes with AppArmor; a rejected "
                    "Pod is recreated by its owner"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("set the profile to Unconfined as a workaround"),
                say("the container then runs without the requested protection"),
            ),
        ),
    )


CAUSE = Cause(
    id="security.apparmor-unsupported",
    title=say("the node cannot apply the requested AppArmor profile"),
    subjects=("Pod",),
    stages=("kubelet-accepted", "sandbox-and-network", *_starting.CONTAINERS),
    reads=_starting.READS | {Phase},
    rule=_rule,
)
