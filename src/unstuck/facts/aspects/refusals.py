"""Writes of an object that the API server refused, or let through without its webhook, in the writer's
messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import RefusalWord


@record()
class Refusal(Record):
    """One refused write.

    by: the refusing party, `Ref("Webhook", None, NAME)` or `Ref("ValidatingAdmissionPolicy", None, NAME)`;
    None for a validation. to: the writer, a Pod or a workload; None for a person's own command. why: the
    server's reason, at most 300 characters. passed: whether the write went through without the unreachable
    webhook (`failurePolicy: Ignore`); None if unknown.
    """

    error: RefusalWord
    by: Ref | None = None
    to: Ref | None = None
    why: str = ""
    at: datetime | None = None
    passed: bool | None = None


@record(kw_only=True)
class Refusals(Fact):
    """Refused writes of the subject: in the logs of the programs that clear its finalizers, or as the answer
    to a command in a text. For `Ref("Cluster")`: any writes, in the logs of API servers and etcd.

    Never whole: a log keeps only its last lines. logs: the Pods of the logs read.
    """

    items: tuple[Refusal, ...]
    logs: tuple[Ref, ...] = ()
    ask: ClassVar[str] = "kubectl get {object} {space} -o yaml --show-managed-fields"


def were_let_through(items: Iterable[Refusal]) -> bool:
    """Tell whether writes went through without a webhook, and no write is known to have been refused for
    it.
    """
    outcomes = {item.passed for item in items}
    return True in outcomes and False not in outcomes


@record(kw_only=True)
class ForbiddenRequests(Fact):
    """Requests of an account that RBAC denied, in the API server's words. about: the ServiceAccount. Never
    whole.

    items: `cannot list resource "pods" in API group "" at the cluster scope`, each once. Source:
    staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go (`forbiddenMessage`).
    """

    items: tuple[str, ...]
