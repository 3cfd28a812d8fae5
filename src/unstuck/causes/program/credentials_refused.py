"""The program ends because a server refuses its login

## How it happens

The program logs on to a server that it needs, this refuses it, and the program gives up: the password in the
Secret is not the server's (it was changed on one side, or the server's data is older than the Secret), the
user does not exist there, the token or key has expired, or the server allows no login from this address.

## How to tell

The run ended with an error and was not ended from outside, and its last lines say so in the words of the
server: `password authentication failed` (PostgreSQL), `Access denied for user` (MySQL), `WRONGPASS` (Redis),
`ACCESS_REFUSED` (RabbitMQ), `401 Unauthorized`.

## Known limits

The Secret's content is never read, and the server is not queried: it stays likely. The key is named where the
container's variables hold one login from one Secret.

## References

- PostgreSQL src/backend/libpq/auth.c; MySQL ER_ACCESS_DENIED_ERROR; Redis src/acl.c
"""

from __future__ import annotations

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
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


_FETCH = mend(
    say(
        "let the client fetch its token whenever it needs one (exec in its kubeconfig or provider): one that "
        "is read at the start of a long run expires meanwhile, on EKS after 15 minutes; a controller in the "
        "cluster reads its ServiceAccount's token again when its Pod restarts"
    )
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
    step = mend(
        say(
            "make the Secret that it logs on with and the server's own record agree, then restart the Pod: "
            "variables are read at its start"
        )
    )
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.credentials-refused",
    title=say("the program ends because a server refuses its login"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
