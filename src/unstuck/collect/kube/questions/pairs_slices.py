"""The address families of EndpointSlices and of their Services (discovery/v1 AddressType)."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.kube.questions.pairs_tools import labels_of, list_all, name_of, read_one
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.references import SERVICE_NAME
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref


def read_slice_families(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield the families of the slices that were written by hand with those of their Service. about:
    either of them.
    """
    is_service = about.kind == "Service"
    name = about.name if is_service else labels_of(obj).get(SERVICE_NAME)
    to = Ref("Service", about.within, name)
    service = obj if is_service else read_one(session, to)
    families = doc.strings(service, "spec", "ipFamilies")
    if not families or doc.section(service, "spec", "selector"):
        return
    selector = f"{SERVICE_NAME}={name}"
    slices = (list_all(session, "EndpointSlice", about.within, selector) or ()) if is_service else (obj,)
    given = [doc.text(s, "addressType") for s in slices]
    # A Service of two families may have slices of one, but one that fits there has to be.
    if any(one in families for one in given):
        return
    for one, family in zip(slices, given, strict=True):
        if family.startswith("IPv"):
            ref = name_of(one, "EndpointSlice")
            yield Counterpart(
                "slice-family", ref, "addressType", family, "Service", (to,), "spec.ipFamilies", families
            )
