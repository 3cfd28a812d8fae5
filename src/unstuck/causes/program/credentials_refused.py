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

from unstuck.causes.program._client import LOG_IN, is_of_client, look_at_kubeconfig, mend_client
from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import (
    READS,
    STAGES,
    ProgramMessage,
    find_last_words,
    is_of_api_server,
    make_finding,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)


_FETCH = mend(
    say(
        "let the client fetch its token whenever it needs one (exec in its kubeconfig or provider): one that "
        "is read at the start of a long run expires meanwhile, on EKS after 15 minutes; a controller in the "
        "cluster reads its ServiceAccount's token again when its Pod restarts"
    )
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
        return make_finding(pod, one, refused, (look_at_kubeconfig(), _FETCH))
    if rule := _NO_RULE.search(one.complaint.line):
        return _make_rule_finding(pod, one, rule)
    step = mend(
        say(
            "make the Secret that it logs on with and the server's own record agree, then restart the Pod: "
            "variables are read at its start"
        )
    )
    return make_finding(pod, one, means, (step,))


def _make_rule_finding(pod: Ref, one: ProgramMessage, rule: re.Match[str]) -> Finding:
    """Return the finding for a server that rejects all clients at this address: it did not ask for a
    password.
    """
    user, database = rule["user"] or "", rule["database"] or ""
    means = say("the server lets nobody in from address {host}", host=rule["host"])
    if user and database:
        means += say(" as user {user} to database {database}", user=user, database=database)
    means += say(": no rule of its pg_hba.conf allows that, and it asked for no password")
    if rule["open"]:
        means += say("; the connection was without TLS")
    let = mend(
        say(
            "let a rule of the server's pg_hba.conf match {host}, or the network of the client's Pods; "
            "if {host} is no Pod's address, it was translated on the way (SNAT)",
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
