"""Finds the refuser of a write, by the API server's message, wherever it is quoted.

Sources: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go (1.9–1.34),
plugin/policy/validating/dispatcher.go (1.26–1.34), staging/src/k8s.io/apimachinery/pkg/api/errors
(`NewInvalid`: `KIND "NAME" is invalid`).
"""

from __future__ import annotations

import re

from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import RefusalWord
from unstuck.wording.clean import clean

_BY: tuple[tuple[re.Pattern[str], RefusalWord, str], ...] = (
    (
        regex(r'admission webhook "(?P<name>[^"]{1,253})" denied the request(?:: (?P<why>.{1,300}))?'),
        "admission-denied",
        "Webhook",
    ),
    (
        regex(
            r"ValidatingAdmissionPolicy '(?P<name>[^']{1,253})' with binding '[^']{1,253}' denied request(?:: (?P<why>.{1,300}))?"
        ),
        "admission-denied",
        "ValidatingAdmissionPolicy",
    ),
    (
        regex(r'failed calling webhook "(?P<name>[^"]{1,253})"(?:: (?P<why>.{1,300}))?'),
        "webhook-unreachable",
        "Webhook",
    ),
    # staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go (1.13–1.34)
    (
        regex(
            r"conversion webhook for (?P<group>[a-z0-9.-]{1,253})/v[a-z0-9]{1,15}, Kind=(?P<name>[A-Za-z][\w-]{0,62}) failed(?:: (?P<why>.{1,300}))?"
        ),
        "webhook-unreachable",
        "ConversionWebhook",
    ),
    (regex(r'\b[\w.]{1,253} \\?"(?P<name>[^"\\]{1,253})\\?" is invalid: (?P<why>\S.{0,300})'), "invalid", ""),
)

# The API server's answer to a request that RBAC does not allow: `name` (the user), `verb`, `resource` in
# `group` and `namespace`, or `path`.
# staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go (`forbiddenMessage`, 1.8–1.34).
FORBIDDEN = (
    # fabric8's client puts words of its own before the server's.
    r'(?:forbidden: |have been revoked\. )User "(?P<name>[^"\s]{1,300})" cannot (?P<verb>[a-z*]{1,30}) (?:path "(?P<path>[^"\s]{1,253})"'
    r'|resource "(?P<resource>[\w*./-]{1,253})" in API group "(?P<group>[\w.*-]{0,253})"'
    r'(?: at the cluster scope| in the namespace "(?P<namespace>[\w.-]{1,253})")?'
    r'|(?P<resource_2>[\w./-]{1,253}) (?:at the cluster scope|in the namespace "(?P<namespace_2>[\w.-]{1,253})"))'
)
_FORBIDDEN = regex(FORBIDDEN)
_ACCOUNT = regex(
    r"system:serviceaccount:(?P<space>[a-z0-9-]{1,63}):(?P<name>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)"
)

# Every such message contains one of these.
_NEEDED = ("webhook", "ValidatingAdmissionPolicy", "is invalid")
# The outcome of a call that failed, as the API server logs it (plugin/webhook/mutating/dispatcher.go and
# plugin/webhook/validating/dispatcher.go, 1.9–1.34).
_OUTCOME = regex(r"\b[Ff]ailed calling webhook, failing (?P<how>open|closed) (?P<name>[^\s:]{1,253}): ")
_ANSWERED = regex(r'\bInternal error occurred: failed calling webhook "(?P<name>[^"]{1,253})"')
_BY_RANK: tuple[RefusalWord, ...] = ("admission-denied", "webhook-unreachable", "invalid")


def parse_refusals(message: str) -> tuple[tuple[RefusalWord, str, str, str], ...]:
    """Return (error, kind of the refuser, its name, its reason) of each refusal in a message; a validation has neither kind nor name.

    error: `admission-denied`, `webhook-unreachable` or `invalid`. Only the most particular words of a message count.
    """
    if not any(literal in message for literal in _NEEDED):
        return ()
    # CSV doubles each quotation mark.
    text = clean(message).replace('\\"', '"').replace('""', '"')
    for error in _BY_RANK:
        rows = [
            (e, kind, _name(m, kind), (m["why"] or "").strip())
            for rx, e, kind in _BY
            if e == error
            for m in rx.finditer(text)
        ]
        if rows:
            return tuple(dict.fromkeys(rows))
    return ()


def was_let_through(message: str, name: str) -> bool | None:
    """Tell whether a write went through without the webhook of this name, which could not be called; None if the words do not show it."""
    text = clean(message).replace('\\"', '"').replace('""', '"')
    if any(found["name"] == name for found in _ANSWERED.finditer(text)):
        return False
    return next((m["how"] == "open" for m in _OUTCOME.finditer(text) if m["name"] == name), None)


def _name(found: re.Match[str], kind: str) -> str:
    """Return the refuser's name, for a conversion webhook the type that it converts; "" for a validation."""
    if kind == "ConversionWebhook":
        return f"{found['name'].lower()}.{found['group']}"
    return found["name"] if kind else ""


def find_forbidden_accounts(message: str) -> tuple[tuple[str, str, str], ...]:
    """Return (Namespace, name, denied request) of each ServiceAccount that RBAC denied a request, as the server words it."""
    if "system:serviceaccount:" not in message:
        return ()
    text = clean(message).replace('\\"', '"')
    said = (
        (_ACCOUNT.fullmatch(m["name"]), text[m.end("name") + 2 : m.end()]) for m in _FORBIDDEN.finditer(text)
    )
    return tuple(dict.fromkeys((account["space"], account["name"], why) for account, why in said if account))
