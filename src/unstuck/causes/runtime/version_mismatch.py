"""Components of the container runtime are incompatible

## How it happens

The kubelet, the runtime, its shim and runc speak versions of interfaces to each other, and one of them was
replaced without the others: a kubelet of 1.26 that asks for CRI v1 and a containerd of 1.5, an old client
against docker's newer minimum, a runc or shim of another version left in the path.

## How to tell

Calls fail with `unknown service runtime.v1.RuntimeService` (or v1alpha2), `client version 1.23 is too old`,
`unsupported protocol` from a shim, or runc's `json: cannot unmarshal … into Go value` and `flag provided but
not defined`.

## Known limits

containerd also answers `unknown service` if its CRI plugin is disabled or failed to load: its own log shows
that. So this message makes it `likely` at most.

## References

- k8s.io/cri-client pkg/remote_runtime.go (validateServiceConnection); moby
  daemon/server/middleware/version.go; Kubernetes 1.26 release notes
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(
        subject,
        snap,
        _is_match,
        lambda f: _make_finding(subject, f, snap),
        decides=lambda f: not _no_service(f),
    )


def _is_match(f: Failure) -> bool:
    return f.error == "version-mismatch"


def _no_service(f: Failure) -> bool:
    """Tell whether the runtime does not offer the API; a runtime without its CRI plugin gives the same
    answer.
    """
    return "unknown service" in f.message


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    says = say("the versions of kubelet, runtime and its components are incompatible")
    if _no_service(f):
        says = say(
            "the runtime does not offer {key}: another version, or its CRI plugin is not loaded",
            key=f.key or say("the API the kubelet needs"),
        )
    return Finding(
        says + _starting.say_on_node(subject, snap),
        culprit=Ref("Runtime", _starting.find_node_name(subject, snap), "version"),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    "compare the versions of kubelet, runtime, shim and runc there, and upgrade the odd one "
                    "to the release the others need; new containers wait meanwhile"
                ),
                where=_starting.place_step(subject, snap),
                risk="disrupts",
                verify=_starting.RETRIES,
            ),
            Step(
                say(
                    "for unknown service: check in containerd's configuration that the CRI plugin is not "
                    "disabled, and in its log that it was loaded"
                ),
                where=_starting.place_step(subject, snap),
                command=command("ctr plugins ls"),
            ),
        ),
        do_not=(
            DoNot(
                say("replace one binary under a running runtime, or downgrade it on a node with containers"),
                say(
                    "shims of running containers keep the version they started with, and an older containerd "
                    "may not read the newer one's database: it loses its containers"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="runtime.version-mismatch",
    title=say("components of the container runtime are incompatible"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network", *_starting.CONTAINERS),
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
