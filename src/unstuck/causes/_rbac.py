"""What the causes of a request that RBAC does not allow have in common: the account as the API server knows it, and what tempts."""

from __future__ import annotations

from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

say = Messages(__name__)

# Source: staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go (`MakeUsername`).
_USER = regex(r"system:serviceaccount:(?P<space>[a-z0-9-]{1,63}):(?P<name>[a-z0-9.-]{1,253})")
NO_ADMIN = DoNot(
    say("bind cluster-admin to it"),
    say("whoever breaks into the program then owns the cluster"),
)


def account_of(user: str) -> Ref | None:
    """Return the ServiceAccount of a user's name; None for a user that is none."""
    found = _USER.fullmatch(user)
    return Ref("ServiceAccount", found["space"], found["name"]) if found else None


def user_of(account: Ref) -> str:
    """Return the user's name of a ServiceAccount."""
    return f"system:serviceaccount:{account.within}:{account.name}"
