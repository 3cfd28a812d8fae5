"""A client has no kubeconfig and asks localhost

## How it happens

kubectl, helm and other clients read $KUBECONFIG, else ~/.kube/config. If neither exists, or not for this user
(sudo, a new account, a CI job, a cron job), they connect to http://localhost:8080, a port without a listener.
Terraform's provider connects to http://localhost if its host is not known, as for a cluster that the same run
makes.

## How to tell

`The connection to the server localhost:8080 was refused - did you specify the right host or port?`, or a
request to a path of the API (`/api/v1/…`, `/apis/…`) at localhost, port 8080 or 80, that is refused.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- kubectl pkg/cmd/util/helpers.go; client-go tools/clientcmd (the default of a configuration that is empty)
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "kubeconfig-missing", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    means = say(
        "the client has no kubeconfig, so it asks localhost, where no API server listens; this says nothing "
        "about the cluster"
    )
    look = Step(
        say("as the same user: see which kubeconfig is read, and which server it names"),
        command=command("kubectl config view"),
    )
    told = Step(
        say(
            "give it the cluster's kubeconfig (KUBECONFIG or --kubeconfig): on a control-plane "
            "node of kubeadm /etc/kubernetes/admin.conf, of k3s /etc/rancher/k3s/k3s.yaml; `sudo` "
            "has another home directory"
        )
    )
    if "8080" not in one.complaint.line and "localhost/" in one.complaint.line:
        told = Step(
            say(
                "give the client (a Terraform provider, a library) the cluster's host and credentials, from "
                "values known before the run: a cluster created in the same run has none yet"
            )
        )
    return make_finding(text, one, means, (look, told))


CAUSE = Cause(
    id="apiserver.kubeconfig-missing",
    title=say("a client has no kubeconfig and asks localhost"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
