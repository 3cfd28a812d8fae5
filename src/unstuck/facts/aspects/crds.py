"""What a CustomResourceDefinition tells of its objects."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import record


@record(kw_only=True)
class Conversion(Fact):
    """Who turns a type's objects from one version into another. about: `Ref("CustomResourceDefinition", None, "PLURAL.GROUP")`.

    webhook: `spec.conversion.strategy: Webhook`, so that an object stored in another version cannot even be listed without its answer.
    service: what is called, None where it is a URL or no webhook. stored: `status.storedVersions`, in which objects may lie.
    """

    webhook: bool
    service: Ref | None = None
    stored: tuple[str, ...] = ()
    ask: ClassVar[str] = "kubectl get crd/{name} -o jsonpath='{.spec.conversion}{.status.storedVersions}'"
