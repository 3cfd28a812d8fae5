"""Rows of claims, and of custom kinds, whose columns their definitions choose.

Sources: pkg/printers/internalversion/printers.go (printPersistentVolumeClaim); additionalPrinterColumns of
cert-manager, Flux, Crossplane and Cluster API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.objects import Condition
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.program.read import read_complaint

# The server's errors about an object that a controller applies: in the row of the controller's object they
# are its reason.
IN_ROWS: tuple[ProgramError, ...] = (
    "object-invalid",
    "object-forbidden",
    "forbidden",
    "api-not-served",
    "metric-missing",
)


def read_not_ready(cells: Mapping[str, str]) -> Condition:
    """Return the condition shown by a custom kind's own columns: a single word is its reason, a longer text
    its message, as in Flux's column STATUS.
    """
    told = [cells.get(title, "") for title in ("REASON", "STATUS", "MESSAGE")]
    reason = next((cell for cell in told if cell and " " not in cell), "")
    message = next((cell for cell in told[::-1] if " " in cell), "")
    said = read_complaint(message)
    if said and said.error in IN_ROWS:
        # The line itself is reported as an error, with the object that it names.
        message = ""
    return Condition("Ready", "False", reason, message)


def read_claim_row(kind: str, ref: Ref, cells: Mapping[str, str], src: Source) -> Iterator[Fact]:
    """Yield the part of a claim's spec that a row shows. An empty and an unset class look alike."""
    if kind == "PersistentVolumeClaim":
        class_, volume = cells.get("STORAGECLASS") or None, cells.get("VOLUME") or None
        yield Claim(about=ref, src=src, storage_class=class_, volume=volume, whole=False)
