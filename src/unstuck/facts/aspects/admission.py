"""The webhooks and admission policies that the API server consults before it accepts a write."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class AdmissionRule(Record):
    """The writes under a rule: each part as in the configuration, `*` for all. resources: `pods`,
    `pods/status`, `*/*`.
    """

    groups: tuple[str, ...]
    resources: tuple[str, ...]
    operations: tuple[str, ...]

    def covers(self, group: str, resource: str, operation: str) -> bool:
        """Tell whether the rule covers a write. resource: with its subresource, `pods/status`.

        As staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go.
        """
        name, _, sub = resource.partition("/")
        forms = {resource, f"*/{sub}" if sub else "*", f"{name}/*", "*/*"}
        return (
            not {"*", group}.isdisjoint(self.groups)
            and not {"*", operation}.isdisjoint(self.operations)
            and not forms.isdisjoint(self.resources)
        )


@record()
class Scope(Record):
    """The Namespaces covered by a webhook or policy, if its selector uses their names
    (`kubernetes.io/metadata.name`).

    only: the only ones, all if empty. but: the excluded ones. more: whether other labels, object selectors or
    conditions narrow it further.
    """

    only: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    more: bool = False

    def reaches(self, namespace: str | None) -> bool:
        """Return False if the scope certainly excludes this Namespace."""
        return namespace is None or (namespace not in self.but and (not self.only or namespace in self.only))


@record()
class Webhook(Record):
    """One webhook of a configuration.

    fails: `failurePolicy: Fail`, so that a write without the webhook's answer is refused. service: the
    callee, None if it is a URL. timeout in seconds.
    """

    name: str
    configuration: Ref
    rules: tuple[AdmissionRule, ...]
    fails: bool
    scope: Scope = Scope()
    service: Ref | None = None
    timeout: int = 10

    def covers(self, group: str, resource: str, operation: str) -> bool:
        """Tell whether some rule asks about this write."""
        return any(r.covers(group, resource, operation) for r in self.rules)


@record()
class PolicyParam(Record):
    """The object that a binding passes to its policy (`spec.paramRef`). binding: the binding's name. to:
    without a Namespace, the write's Namespace counts.
    """

    binding: str
    to: Ref


@record()
class AdmissionPolicy(Record):
    """One ValidatingAdmissionPolicy with a binding that denies. params: by name, without params selected by
    labels.
    """

    ref: Ref
    rules: tuple[AdmissionRule, ...]
    scope: Scope = Scope()
    params: tuple[PolicyParam, ...] = ()

    def covers(self, group: str, resource: str, operation: str) -> bool:
        """Tell whether some rule asks about this write."""
        return any(r.covers(group, resource, operation) for r in self.rules)


@record(kw_only=True)
class Webhooks(Fact):
    """Every webhook of every configuration: `Ref("Cluster")`."""

    items: tuple[Webhook, ...]
    ask: ClassVar[str] = "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml"


@record(kw_only=True)
class AdmissionPolicies(Fact):
    """Every ValidatingAdmissionPolicy that is bound to deny: `Ref("Cluster")`."""

    items: tuple[AdmissionPolicy, ...]
    ask: ClassVar[str] = "kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings -o yaml"
