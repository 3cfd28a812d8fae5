"""The ServiceAccount token is not mounted, or is issued for another audience

## How it happens

`automountServiceAccountToken: false` on the ServiceAccount, or in the Pod's spec, keeps the token out of the
containers; a program that talks to the API server ends at its start. A projected token is made for one
`audience`: its receiver accepts no other.

## How to tell

The program misses the token's file or finds no cluster configuration, no volume is mounted there, and the Pod
or its account disables the token. Or it rejects the audience, names the expected one, and its token's volume
has another.

## Known limits

An audience that the message does not name is not compared. The account's rights are another question
(program.forbidden-by-rbac).

## References

- Kubernetes plugin/pkg/admission/serviceaccount/admission.go; core/v1 ServiceAccountTokenProjection
"""

from __future__ import annotations

import re

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, list_names
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.aspects.settings import AccountToken, ContainerSettings, PodSettings, TokenVolume
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

say = Messages(__name__)

_PLACE = "/var/run/secrets/kubernetes.io/serviceaccount"
_NO_TOKEN = regex(
    r"serviceaccount/(?:token|namespace|ca\.crt)|in-?cluster config|not running in (?:a )?(?:cluster"
    r"|kubernetes)|"
    r"KUBERNETES_SERVICE_HOST|Service host/port is not set",
    re.IGNORECASE,
)
_AUDIENCE = regex(r"\baudiences?\b|\(aud\)|\baud claim", re.IGNORECASE)
_EXPECTED = regex(
    (
        r"(?:expect(?:ed|s|ing)|want(?:ed)?|must be|allowed|bound|target "
        r"audiences?)\b[^\n\[\"'“]{0,40}[\[\"'“]+(?P<one>[^\]\"'”\s,]{1,200})"
    ),
    re.IGNORECASE,
)


def _match_mounted(
    pod: Ref, word: ContainerLine, settings: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    spec = find_container_spec(pod, one.name, snap)
    if (
        not _NO_TOKEN.search(word.line)
        or spec is None
        or not settings.whole
        or any(is_at_or_below(_PLACE, at) for at, _ in spec.mounts)
    ):
        return None
    if settings.token is False:
        return Sign(True, (_find_unmounted(pod, word, settings.account, of_account=False),))
    if settings.token is not None:
        return None
    account = Ref("ServiceAccount", pod.within, settings.account or "default")
    return some(
        snap,
        AccountToken,
        account,
        lambda f: (
            [_find_unmounted(pod, word, account.name or "", of_account=True)] if f.mounts is False else []
        ),
    )


def _find_unmounted(pod: Ref, word: ContainerLine, account: str, *, of_account: bool) -> Misfit:
    says = (
        say(
            "{who} wrote “{line}”: no token is mounted, for ServiceAccount {account} has "
            "automountServiceAccountToken: false and the Pod's "
            "spec does not say otherwise",
            who=word.title,
            line=word.quote,
            account=account,
        )
        if of_account
        else say(
            (
                "{who} wrote “{line}”: no token is mounted, for the Pod's spec has "
                "automountServiceAccountToken: false"
            ),
            who=word.title,
            line=word.quote,
        )
    )
    return Misfit(
        of=Ref("ServiceAccount", pod.within, account) if of_account else pod,
        field="automountServiceAccountToken",
        says=says,
        help=(
            mend(
                say(
                    "set automountServiceAccountToken: true in the Pod's template, if the program should "
                    "talk to the API server; the account's roles decide what it may do"
                )
            ),
        ),
        do_not=(
            DoNot(
                say("copy a token into a Secret and mount that"),
                say("it does not expire, and anyone who can read the Secret has it"),
            ),
        ),
    )


def _match_audience(
    pod: Ref, word: ContainerLine, settings: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    if not _AUDIENCE.search(word.line):
        return None
    expected = next((m["one"].rstrip(".)") for m in _EXPECTED.finditer(word.line)), "")
    spec = find_container_spec(pod, one.name, snap)
    volumes = {volume for _, volume in spec.mounts} if spec else set()
    tokens = [t for t in settings.tokens if t.volume in volumes and t.audience]
    if not expected or not tokens or any(t.audience == expected for t in tokens):
        return None
    return Sign(True, (_find_for_another(pod, word, tokens, expected),))


def _find_for_another(pod: Ref, word: ContainerLine, tokens: list[TokenVolume], expected: str) -> Misfit:
    field = f"volumes[{tokens[0].volume}].projected.sources.serviceAccountToken.audience"
    return Misfit(
        of=pod,
        field=field,
        says=say(
            (
                "{who} wrote “{line}”: its token is issued for the audience {audience} ({field}), but "
                "{expected} is expected"
            ),
            who=word.title,
            line=word.quote,
            audience=list_names(t.audience for t in tokens),
            field=field,
            expected=expected,
        ),
        help=(
            mend(
                say(
                    "set {field} to {expected}, or have the other side expect the audience of the token",
                    field=field,
                    expected=expected,
                )
            ),
        ),
    )


PAIRS = (
    Pair(
        "the token that the program reads is not mounted",
        "there",
        ("Pod",),
        make_words_check(_match_mounted),
        READS | {AccountToken},
    ),
    Pair(
        "its token is made for another audience", "equal", ("Pod",), make_words_check(_match_audience), READS
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.token-unfit",
    title=say("the ServiceAccount token is not mounted, or is issued for another audience"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
