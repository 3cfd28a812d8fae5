"""The Pod must not run as root, but its image does

## How it happens

The Pod's or the container's securityContext has `runAsNonRoot: true`, and the container's user would be root:
the image names none, names one by name (which the kubelet cannot check), or `runAsUser: 0` is set. The
kubelet refuses to make the container.

## How to tell

The container waits with CreateContainerConfigError, `container has runAsNonRoot and image will run as root`,
`image has non-numeric user (x), cannot verify user is non-root`, or `container's runAsUser breaks non-root
policy`.

## Known limits

Only the image's author knows whether the program can run as another user. A refusal by the Namespace's Pod
Security level comes earlier: admission.pod-security.

## References

- Kubernetes pkg/kubelet/kuberuntime/security_context_others.go (verifyRunAsNonRoot)
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _explain(f: Failure) -> Text:
    if "non-numeric" in f.message:
        return say("its image names its user by name, which cannot be checked")
    return say("runAsUser is root") if "breaks" in f.message else say("its image runs as root")


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.error == "run-as-root"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    whose = say("container {container}", container=f.container) if f.container else say("a container")
    return Finding(
        say("{whose} must not run as root, but {why}", whose=whose, why=_explain(f)),
        culprit=make_container_ref(subject, f.container),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "set runAsUser to a numeric user other than 0 that the program can run as, or build the "
                    "image with a numeric USER"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("remove runAsNonRoot as a workaround"),
                say(
                    "the program then runs as root on the node's kernel, which the "
                    "setting was meant to prevent"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="security.run-as-non-root",
    title=say("the Pod must not run as root, but its image does"),
    subjects=("Pod",),
    stages=("init-done", "containers-created"),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
