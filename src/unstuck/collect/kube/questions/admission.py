"""Webhooks and admission policies, which may refuse a write (admissionregistration.k8s.io/v1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Listing, Session, make_refused
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind, group_of, ref_kind, ref_of
from unstuck.facts.aspects.admission import (
    AdmissionPolicies,
    AdmissionPolicy,
    AdmissionRule,
    PolicyParam,
    Scope,
    Webhook,
    Webhooks,
)
from unstuck.facts.core import Fact, Ref, Want

_GROUP = "admissionregistration.k8s.io"
_NAME = "kubernetes.io/metadata.name"
_CONFIGURATIONS = tuple(
    Kind(f"{k}WebhookConfiguration", _GROUP, "v1", f"{k.lower()}webhookconfigurations", False)
    for k in ("Validating", "Mutating")
)
_POLICY = Kind("ValidatingAdmissionPolicy", _GROUP, "v1", "validatingadmissionpolicies", False)
_BINDING = Kind("ValidatingAdmissionPolicyBinding", _GROUP, "v1", "validatingadmissionpolicybindings", False)


def webhooks(session: Session, want: Want) -> list[Fact]:
    """Return both kinds of configuration, each webhook with its rules and its backend."""
    found = run_each(lambda kind: session.listing(kind, None), _CONFIGURATIONS, 2)
    if failed := [f for f in found if not f.read.reply.ok]:
        return [make_refused(want, failed[0].read)]
    items = tuple(w for f in found for configuration in f.items for w in _list_webhooks(configuration))
    src = found[0].read.src(", ".join(w.name for w in items[:5]) or "none")
    return [Webhooks(about=want.about, src=src, items=items, whole=all(f.whole for f in found))]


def _list_webhooks(configuration: doc.Doc) -> list[Webhook]:
    ref = ref_of(configuration)
    return [_webhook(row, ref) for row in doc.rows(configuration, "webhooks")] if ref else []


def _webhook(row: doc.Doc, configuration: Ref) -> Webhook:
    service = doc.section(row, "clientConfig", "service")
    return Webhook(
        doc.text(row, "name"),
        configuration,
        _list_rules(doc.rows(row, "rules")),
        doc.text(row, "failurePolicy") != "Ignore",
        _scope(row),
        Ref("Service", doc.text(service, "namespace"), doc.text(service, "name")) if service else None,
        doc.whole_number(row, "timeoutSeconds") or 10,
    )


def _list_rules(rows: list[doc.Doc]) -> tuple[AdmissionRule, ...]:
    return tuple(
        AdmissionRule(doc.strings(r, "apiGroups"), doc.strings(r, "resources"), doc.strings(r, "operations"))
        for r in rows
    )


def _scope(holder: doc.Doc) -> Scope:
    """Return a namespaceSelector by names; its other requirements are not evaluated, only reported."""
    selector = doc.section(holder, "namespaceSelector")
    labels, rows = dict(doc.pairs(selector, "matchLabels")), doc.rows(selector, "matchExpressions")
    named = [(doc.text(r, "operator"), doc.strings(r, "values")) for r in rows if doc.text(r, "key") == _NAME]
    only = [
        *([labels[_NAME]] if _NAME in labels else ()),
        *(v for op, values in named if op == "In" for v in values),
    ]
    but = [v for op, values in named if op == "NotIn" for v in values]
    others = any(k != _NAME for k in labels) or any(doc.text(r, "key") != _NAME for r in rows)
    more = bool(others or doc.section(holder, "objectSelector") or doc.rows(holder, "matchConditions"))
    return Scope(tuple(sorted(only)), tuple(sorted(but)), more)


def _policy(policy: doc.Doc, ref: Ref, bindings: Iterable[doc.Doc]) -> AdmissionPolicy:
    constraints = doc.section(policy, "spec", "matchConstraints")
    scope = _scope(constraints)
    conditions = bool(doc.rows(policy, "spec", "matchConditions"))
    params = tuple(
        p for b in bindings if doc.text(b, "spec", "policyName") == ref.name for p in _list_params(policy, b)
    )
    return AdmissionPolicy(
        ref,
        _list_rules(doc.rows(constraints, "resourceRules")),
        replace(scope, more=scope.more or conditions),
        params,
    )


def _list_params(policy: doc.Doc, binding: doc.Doc) -> Iterator[PolicyParam]:
    kind = doc.section(policy, "spec", "paramKind")
    name = doc.text(binding, "spec", "paramRef", "name")
    if name and doc.text(kind, "kind"):
        full = ref_kind(group_of(doc.text(kind, "apiVersion")), doc.text(kind, "kind"))
        to = Ref(full, doc.text(binding, "spec", "paramRef", "namespace") or None, name)
        yield PolicyParam(doc.text(binding, "metadata", "name"), to)


def policies(session: Session, want: Want) -> list[Fact]:
    """Return policies with a binding that denies; a server before 1.30 does not offer them."""
    found: list[Listing] = run_each(lambda kind: session.listing(kind, None), [_POLICY, _BINDING], 2)
    if failed := [f for f in found if not f.read.reply.ok]:
        return [make_refused(want, failed[0].read)]
    denying = {
        doc.text(b, "spec", "policyName")
        for b in found[1].items
        if "Deny" in doc.strings(b, "spec", "validationActions")
    }
    items = tuple(
        _policy(p, ref, found[1].items) for p in found[0].items if (ref := ref_of(p)) and ref.name in denying
    )
    src = found[0].read.src(", ".join(p.ref.name or "?" for p in items[:5]) or "none")
    return [AdmissionPolicies(about=want.about, src=src, items=items, whole=all(f.whole for f in found))]
