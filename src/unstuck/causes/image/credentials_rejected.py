"""The registry refuses the credentials offered

## How it happens

The pull Secret that the Pod names is for this registry, and its content is rejected: a password that was
changed or mistyped, an account that was closed, a token that has expired (those of cloud registries live some
hours), or an account that may not read this repository.

## How to tell

`incorrect username or password`, `authorization token has expired`, or a refused request for a token with
credentials (`failed to fetch oauth token … 401`). `401 Unauthorized` and `403 Forbidden` count only if a pull
Secret of the Pod serves the registry, so that credentials were offered, and then it is `likely` at the most.
Of a Secret only its type and its servers' names are read, never a value.

## Known limits

`pull access denied … does not exist or may require authorization` with credentials offered is also the answer
for a name that does not exist: that stays open beside image.not-found. Some registries (Harbor, Quay) answer
a plain 401 for such a name, too, with or without credentials. A 403 may come from a rule of the registry
about addresses or countries. Credentials of the Node itself cannot be seen.

## References

- opencontainers/distribution-spec spec.md (UNAUTHORIZED, DENIED); containerd
  core/remotes/docker/authorizer.go; containers/image docker/errors.go; Kubernetes
  pkg/credentialprovider/keyring.go
"""

from __future__ import annotations

from unstuck.causes.image._cloud import look_at_nodes
from unstuck.causes.image._credentials import READS as OF_SECRETS
from unstuck.causes.image._credentials import Linked, find_serving_secret
from unstuck.causes.image._name import Name, parse_image
from unstuck.causes.image._pull import READS, RETRIES, STAGES, Pull, name_image, pull, quote_innermost_error
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_REFUSED: ErrorWord = "credentials-rejected"
_WITH_SOME: tuple[ErrorWord, ...] = ("unauthorized", "forbidden")
_OPEN: tuple[ErrorWord, ...] = ("not-found-or-denied",)


def _rule(pod: Ref, snap: Facts) -> Signs:
    refused = pull(pod, snap, (_REFUSED,))
    one = pull(pod, snap, (_REFUSED, *_WITH_SOME, *_OPEN))
    told = next(
        (f for word in (_REFUSED, *_WITH_SOME, *_OPEN) for f in one.mine.hits if f.error == word), None
    )
    name = parse_image(name_image(told)) if told else Name("?", "?")
    linked: Sign[Linked] = find_serving_secret(pod, name, snap) if told else Sign(None)
    return Signs(
        necessary={"the registry refuses what it was offered": _find_credentials_offered(one, told, linked)},
        decisive={
            "it repeatedly says that they are wrong, and a container is still waiting": refused.repeated,
        },
        supporting={"a message says that the registry rejects the credentials": one.mine},
        finding=lambda: _make_finding(pod, told or one.mine.hits[0], linked, name),
    )


def _find_credentials_offered(one: Pull, told: Failure | None, linked: Sign[Linked]) -> Sign[Failure]:
    """Return the registry's own report about the credentials; for other refusals a Secret of the Pod decides
    whether any were offered.
    """
    if told is None or told.error == _REFUSED:
        return one.ended
    if not linked.value:
        return (
            Sign(False, seen=linked.seen)
            if linked.value is False
            else Sign(None, (told,), (told,), linked.wants)
        )
    if told.error in _WITH_SOME:
        return Sign(True, (told,), unique((*one.mine.seen, *linked.seen)), sure=one.mine.sure and linked.sure)
    return Sign(None, (told,), (told,))


def _make_finding(pod: Ref, failure: Failure, linked: Sign[Linked], name: Name) -> Finding:
    secret = linked.hits[0].secret if linked.value else None
    host = name.host if name_image(failure) != "?" else failure.host or "?"
    whose = (
        say("the credentials of Secret {secret}", secret=secret.name)
        if secret
        else say("the credentials offered")
    )
    says = say("registry {host} rejects {whose}", host=host, whose=whose)
    if failure.error == "forbidden":
        says = says + say(": they may not read {short}", short=name.short)
    return Finding(
        says,
        culprit=secret or Ref("Registry", pod.within, host),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            *(() if secret else look_at_nodes(host)),
            Step(
                say("test them from elsewhere, with an interactive login"),
                command=command("docker login {registry}", registry=given.host(host)),
            ),
            Step(
                say(
                    "put valid credentials into the Secret; if they expire, renew them automatically, or use "
                    "a credential provider on the nodes"
                ),
                where="source",
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("make the repository public as a workaround"),
                say("anyone can then get the program and everything built into it"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.credentials-rejected",
    title=say("the registry rejects the credentials offered"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | OF_SECRETS,
    rule=_rule,
)
