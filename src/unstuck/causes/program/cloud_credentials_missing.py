"""A program finds no credentials for its cloud

## How it happens

The SDK of a cloud looks for credentials in its environment, in files, as the identity of the Pod's
ServiceAccount and at the node's metadata server, and none of them has any. The ServiceAccount is not
annotated, or was annotated after the Pod had been created; the webhook that injects the token did not run;
the Secret with a key is not mounted; the metadata server is out of the Pod's reach.

## How to tell

`NoCredentialProviders: no valid providers in chain`, `no EC2 IMDS role found`, `Unable to locate
credentials`, `could not find default credentials`, `DefaultAzureCredential failed to acquire a token`.

## Known limits

Its evidence is the message alone: it is never more than likely. Which of the places should have held the
credentials is not seen.

## References

- AWS SDKs: credential provider chain; Google: Application Default Credentials; Azure SDKs:
  DefaultAzureCredential
- EKS: IAM roles for service accounts, Pod Identity; GKE: Workload Identity; AKS: Workload ID
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import class_commands, given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("cloud-credentials-missing",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    if one.complaint.name:
        return _make_unannotated_finding(pod, one)
    means = say("it finds no credentials for its cloud: {reason}", reason=one.complaint.reason)
    look = Step(
        say("see under which cloud identity its ServiceAccount works"),
        command=class_commands.cloud_identities(),
    )
    step = mend(
        say(
            "give its ServiceAccount an identity of the cloud and recreate the Pod (a token is injected only "
            "when a Pod is created), or mount the Secret that holds a key"
        )
    )
    do_not = DoNot(
        say("give the role of the nodes these rights"),
        say("every Pod of these nodes then has them"),
    )
    return make_finding(pod, one, means, (look, step), do_not=(do_not,))


def _make_unannotated_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding of a ServiceAccount without a role of AWS' IAM."""
    account = Ref("ServiceAccount", one.complaint.namespace, one.complaint.name)
    means = say(
        "{account} has no annotation eks.amazonaws.com/role-arn, which says as which IAM role its programs "
        "work",
        account=who(account),
    )
    look = Step(
        say("see its annotations"),
        command=command(
            "kubectl get {account} {space} -o yaml", account=given.of(account), space=given.space(account)
        ),
    )
    step = mend(
        say(
            "annotate it with the role (in the chart: the annotations of its serviceAccount), let the role's "
            "trust policy name it, and recreate Pods that use its token"
        )
    )
    return make_finding(pod, one, means, (look, step), culprit=account)


CAUSE = Cause(
    id="program.cloud-credentials-missing",
    title=say("a program finds no credentials for its cloud"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
