"""Knative cannot resolve the digest of an image's tag, and creates no Revision

## How it happens

Knative's controller asks the registry itself, over HTTPS and from its own Pod, which digest a tag has, before
any node pulls the image. It lacks the node's configuration: a registry that the runtime treats as insecure or
reaches by a mirror, an authority that only the nodes trust, a login that is in no imagePullSecret of the
ServiceAccount.

## How to tell

The condition of the Revision says `Unable to fetch image "…": failed to resolve image to digest:` and the
registry's own answer.

## Known limits

Its evidence is the message alone: it is never more than likely. If no answer came in time it is open, because
the next try may get one. The registry is not asked.

## References

- Knative documentation "Tag resolution"; knative/serving pkg/reconciler/revision/resolve.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "digest-unresolved", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    host = c.name.partition("/")[0]
    means = say(
        (
            "Knative asks the registry itself which digest the tag of {image} has, and "
            "does not learn it: {reason}"
        ),
        image=c.name,
        reason=c.reason.rstrip(". '"),
    )
    look = Step(
        say(
            (
                "from a Pod of the cluster, see what {host} answers over HTTPS: Knative does as it does, "
                "not as the nodes"
            ),
            host=host,
        ),
        command=command("curl -vk -m 5 https://{host}/v2/", host=given.host(host)),
    )
    settings = Step(
        say("check for which registries it keeps the tag (registries-skipping-tag-resolving)"),
        command=command("kubectl get configmap config-deployment -n knative-serving -o yaml"),
    )
    step = mend(
        say(
            "let {host} answer it over HTTPS with a trusted certificate and a login in the "
            "ServiceAccount's imagePullSecrets; or name {host} in registries-skipping-tag-resolving, "
            "or the image by its digest",
            host=host,
        )
    )
    return make_finding(text, one, means, (look, settings, step))


CAUSE = Cause(
    id="controller.digest-unresolved",
    title=say("Knative cannot resolve the digest of an image's tag"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
