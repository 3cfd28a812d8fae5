"""Facts from a CustomResourceDefinition about its objects."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record


@record(kw_only=True)
class Conversion(Fact):
    """The conversion of a type's objects between versions. about: `Ref("CustomResourceDefinition", None,
    "PLURAL.GROUP")`.

    webhook: `spec.conversion.strategy: Webhook`, so that an object stored in another version cannot even be
    listed without the webhook's answer. service: the webhook's Service, None for a URL or no webhook. stored:
    `status.storedVersions`, the possible versions of stored objects.
    """

    webhook: bool
    service: Ref | None = None
    stored: tuple[str, ...] = ()
    ask: ClassVar[str] = "kubectl get crd/{name} -o jsonpath='{.spec.conversion}{.status.storedVersions}'"
