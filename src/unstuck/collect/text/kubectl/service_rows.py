"""The rows of Services and Endpoints in `kubectl get`: the selector, and whether any address is behind it.

Source: pkg/printers/internalversion/printers.go (printService, printEndpoints, printEndpointSlice), 1.5–1.34.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.collect.objects.kind_status import NONE
from unstuck.collect.objects.services import make_no_backend
from unstuck.facts.aspects.reported import Reported, StatusWord
from unstuck.facts.aspects.services import ServicePort, ServiceSpec
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.regex import regex

KINDS = frozenset({"Service", "Endpoints"})
_PAIR = regex(r"(?P<key>[\w./-]{1,317})=(?P<value>[\w.-]{0,63})")
_PORT = regex(r"(?P<port>\d{1,5})(?::\d{1,5})?/(?P<protocol>TCP|UDP|SCTP)")
_ADDRESS = regex(r"[0-9a-f.:]{2,45}")


def read_service_row(kind: str, ref: Ref, cells: Mapping[str, str], src: Source) -> Iterator[Fact]:
    """Yield the facts of one row. cells: title → cell."""
    if kind == "Endpoints":
        if cells.get("ENDPOINTS") == NONE:
            yield make_no_backend(Ref("Service", ref.within, ref.name), src)
        return
    selector = tuple((m["key"], m["value"]) for m in _PAIR.finditer(cells.get("SELECTOR", "")))
    if selector:
        # The ports' targets are not shown: assume the same number.
        ports = tuple(
            ServicePort(int(m["port"]), m["port"], protocol=m["protocol"])
            for m in _PORT.finditer(cells.get("PORT(S)", ""))
        )
        address = cells.get("CLUSTER-IP", "")
        addresses = (address,) if _ADDRESS.fullmatch(address) else ()
        yield ServiceSpec(
            about=ref, src=src, selector=selector, ports=ports, addresses=addresses, whole=False
        )
    if cells.get("EXTERNAL-IP") == "<pending>":
        word = StatusWord("status.loadBalancer.ingress", NONE)
        yield Reported(about=ref, src=src, words=(word,), whole=False)
