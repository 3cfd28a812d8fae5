"""Makes the Refused of a question that the node has not answered."""

from __future__ import annotations

from unstuck.facts.core import Refused, Source, Want, WhyOpen


def refuse(want: Want, why: WhyOpen, detail: str, node: str) -> Refused:
    """Return the Refused of a Want. detail: the reason, in words for a person."""
    return Refused(
        about=want.about, src=Source(f"node:{node}"), want=want.fact.__name__, why=why, detail=detail
    )
