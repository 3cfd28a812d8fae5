"""The program ends because a server refuses its login

## How it happens

The program logs on to a server that it needs, this refuses it, and the program gives up: the password in the
Secret is not the server's (it was changed on one side, or the server's data is older than the Secret), the
user does not exist there, the token or key has expired, or the server allows no login from this address.

## How to tell

The run ended with an error and was not ended from outside, and its last lines have the server's message:
`password authentication failed` (PostgreSQL), `Access denied for user` (MySQL), `WRONGPASS` (Redis),
`ACCESS_REFUSED` (RabbitMQ), `401 Unauthorized`.

## Known limits

The Secret's content is never read, and the server is not queried: it stays likely. The key is named where the
container's variables hold one login from one Secret.

## References

- PostgreSQL src/backend/libpq/auth.c; MySQL ER_ACCESS_DENIED_ERROR; Redis src/acl.c
"""

from __future__ import annotations

import re
from dataclasses import replace

from unstuck.causes.program._client import LOG_IN, is_of_client, look_at_kubeconfig, mend_client
from unstuck.causes.program._peers import advise, find_peer, find_url, look_at, name_peer
from unstuck.causes.program._plain import look_at_object, make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    is_of_api_server,
    make_finding,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)


_FETCH = mend(
    say(
        "let the client fetch a token whenever it needs one (exec in its kubeconfig or provider): a token "
        "read at the start of a long run expires meanwhile, on EKS after 15 minutes; a controller in the "
        "cluster reads its ServiceAccount token again when its Pod restarts"
    )
)
_AGREE = say(
    "make the Secret with its login and the server's own record agree, then restart the Pod: variables are"
    " read at startup"
)
_UNAUTHORIZED = 401
_REPOSITORY = regex(r"(?:https?|ssh|git)://|[\w.-]{1,60}@[\w.-]{1,253}(?::|$)")
# pkg/volume/csi/csi_plugin.go, pkg/kubelet/kubelet_node_status.go, component-helpers apimachinery/lease.
_OF_KUBELET = regex(
    r"CSINode publishing|Unable to register node|[Ee]rror (?:updating node status|getting node)"
    r"|ailed to ensure (?:node )?lease exists|\bkubelet\["
)
_NODE_REFUSED = say(
    "the API server does not accept the credentials of this node's kubelet: they have expired, or the "
    "cluster does not know this node's identity (Unauthorized)"
)
_LOOK_AT_NODES = Step(
    say("check whether the node requested a certificate and, on EKS, whether its role is mapped"),
    command=command("kubectl get csr; kubectl get configmap/aws-auth -n kube-system -o yaml"),
)
_MEND_NODE = (
    Step(
        say("on the node, check when its certificate expires"),
        where="node:NODE",
        command=command("openssl x509 -noout -enddate -in /var/lib/kubelet/pki/kubelet-client-current.pem"),
    ),
    mend(
        say(
            "in a cloud, map the node's role to the group system:nodes (EKS: an access entry or aws-auth);"
            " otherwise let the kubelet request a new certificate with a bootstrap token"
        )
    ),
)
# PostgreSQL src/backend/libpq/auth.c (ClientAuthentication, uaReject and uaImplicitReject).
_NO_RULE = regex(
    r"(?:no pg_hba\.conf entry for|pg_hba\.conf rejects (?:\w+ )?connection for) "
    r"(?:replication connection from )?host \"(?P<host>[^\"]{1,80})\"(?:, user \"(?P<user>[^\"]{1,80})\")?"
    r"(?:, database \"(?P<database>[^\"]{1,80})\")?(?:, (?P<open>no encryption|SSL off))?"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("credentials-refused",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    means = (
        say("a server refuses the login of user {name}", name=name)
        if name
        else say("a server refuses its login")
    )
    if pod.kind == "Text" and is_of_client(one.complaint.line):
        return make_finding(
            pod,
            one,
            say("the API server refuses the login of kubectl"),
            (look_at_kubeconfig(), mend_client(LOG_IN)),
        )
    if pod.kind == "Text" and is_of_api_server(one.complaint.line):
        refused = say(
            "the API server does not accept the token or certificate of this client: it has expired, or the "
            "cluster does not know it (Unauthorized)"
        )
        if _OF_KUBELET.search(one.complaint.line):
            return make_finding(pod, one, _NODE_REFUSED, (_LOOK_AT_NODES, *_MEND_NODE))
        return make_finding(pod, one, refused, (look_at_kubeconfig(), _FETCH))
    if _REPOSITORY.match(name):
        return _make_repository_finding(pod, one)
    if not name and (url := find_url(one.complaint.line)):
        return _make_url_finding(pod, one, url)
    if rule := _NO_RULE.search(one.complaint.line):
        return _make_rule_finding(pod, one, rule)
    return make_finding(pod, one, means, (mend(_AGREE),))


def _make_repository_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a Git server: its clients log in with a key or a token, not with a password."""
    url = one.complaint.name
    means = say("the Git server does not accept the credentials for {url}", url=url)
    look = (
        look_at_object(
            replace(
                one.complaint, resource=one.of.kind, name=one.of.name or "", namespace=one.of.within or ""
            ),
            say("check which Secret holds its credentials (spec.secretRef)"),
        )
        if one.of
        else ()
    )
    step = (
        say(
            "put a user name and a token with read access to this repository into the Secret; without "
            "credentials, a private repository gives the same answer"
        )
        if url.startswith("http")
        else say(
            "add the public key of the Secret's private key to the repository as a deploy key, or put a "
            "key that the server knows into the Secret"
        )
    )
    return make_finding(pod, one, means, (*look, mend(step)))


def _make_url_finding(pod: Ref, one: ProgramMessage, url: str) -> Finding:
    """Return the finding for a server that is known by its URL alone."""
    peer = find_peer(url, one.complaint.line)
    means = say(
        "{server} does not accept the credentials of this client: {url}", server=name_peer(peer), url=url
    )
    step = advise(peer, _UNAUTHORIZED) or _AGREE
    return make_finding(pod, one, means, (*look_at(peer, url), mend(step)))


def _make_rule_finding(pod: Ref, one: ProgramMessage, rule: re.Match[str]) -> Finding:
    """Return the finding for a server that rejects all clients at this address: it did not ask for a
    password.
    """
    user, database = rule["user"] or "", rule["database"] or ""
    means = say("the server accepts no login from address {host}", host=rule["host"])
    if user and database:
        means += say(" as user {user} to database {database}", user=user, database=database)
    means += say(": no rule of its pg_hba.conf allows that, and it asked for no password")
    if rule["open"]:
        means += say("; the connection was without TLS")
    let = mend(
        say(
            "add a rule for {host}, or for the network of the client's Pods, to the server's pg_hba.conf; "
            "if {host} is not the address of a Pod, it was translated on the way (SNAT)",
            host=rule["host"],
        )
    )
    tls = mend(
        say("connect with TLS (sslmode=require), if the rules allow this client only with TLS (hostssl)")
    )
    return make_finding(pod, one, means, fitting(let, Remedy(bool(rule["open"]), tls)))


CAUSE = Cause(
    id="program.credentials-refused",
    title=say("the program ends because a server refuses its login"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
