"""Checklists that tools of a cluster print: each check with a tick or a cross, and below a crossed one the
lines that prove it.

Sources: linkerd2 pkg/healthcheck (`√`, `‼`, `×`), kind pkg/internal/cli (`✓`, `✗`), flux2 cmd/flux/check.go
(`✔`, `✗`), istio istioctl pkg/analyze (`Error [IST0101] (KIND NAME.NAMESPACE) …`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.piece import Piece
from unstuck.facts.aspects.pasted import ToldError
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Source
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError

# Errors that a single line cannot show.
FAILED: ProgramError = "check-failed"
_CROSSED = regex(r"^(?P<margin>\s{0,8})[×✗✘✖❌]\ufe0f?\s{1,3}(?P<check>(?!Exiting due to)\S.{3,300})$")
_TICKED = regex(r"^\s{0,8}[√✓✔✅]\ufe0f?\s{1,3}\S")
_ITEM = regex(r"^\s{0,8}[√✓✔✅×✗✘✖❌‼►•]\ufe0f?\s|^-{4,}$|^Status check results|^\s*\[\w+\]\s|^\$ |^```")
# Words for a cluster check, in some line of the text: a test runner's ticks do not count.
_OF_A_CLUSTER = regex(
    r"(?i)\b(?:linkerd|kind|control-plane|kubeadm|kubernetes|kube\w*|cilium|istio\w*|flux|argo\w*|consul"
    r"|namespace|pods?|crds?|k3[sd]|helm|cluster)\b"
)
_WARNED = regex(r"^\s*•\s+(?P<said>(?:WARNING|ERROR): \S.*)$")
_HINT = regex(r"^\s*see https?://\S+ for hints$")
# A symbol at the end of a step: kind's, and such as mark its progress.
_SYMBOLS = regex(r"[\s\U0001F300-\U0001FAFF\u2600-\u27BF\u23F0-\u23FF\ufe0f.]+$")
_PROOFS, _LONGEST = 8, 400


def find_failed_checks(pieces: Sequence[tuple[str, Piece]]) -> Iterator[tuple[ToldError, Source]]:
    """Yield each failed check, with its tool's message below it; nothing for a text without ticks that is not
    about a cluster.
    """
    rows = [(piece, n, line) for _, piece in pieces for n, line in enumerate(piece.lines)]
    lines = [line for _, _, line in rows]
    crossed = [at for at, line in enumerate(lines) if _CROSSED.match(line)]
    if not crossed or not any(_OF_A_CLUSTER.search(line) for line in lines):
        return
    passed = sum(_TICKED.match(line) is not None for line in lines)
    for at in crossed:
        found = _CROSSED.match(lines[at])
        check = _SYMBOLS.sub("", mask(found["check"])) if found else ""
        if check and (passed or len(crossed) > 1 or _proof(lines, at)):
            piece, n, line = rows[at]
            said = Complaint(
                FAILED,
                mask(line).strip(),
                name=check,
                reason=_proof(lines, at),
                at=passed,
                resource=_tool(lines),
            )
            yield ToldError(said), piece.src(n, said.line)


def _proof(lines: Sequence[str], at: int) -> str:
    """Return the text below a failed check, up to the next one, in one line."""
    below = list[str]()
    for line in lines[at + 1 : at + 1 + _PROOFS]:
        if warned := _WARNED.match(line):
            below.append(warned["said"])
            continue
        if not line.strip() or _ITEM.match(line) or line[:1] not in " \t*":
            break
        if not _HINT.match(line):
            below.append(line.strip())
    return _SYMBOLS.sub("", mask(" ".join(below)))[:_LONGEST]


def _tool(lines: Sequence[str]) -> str:
    """Return the tool of the list, by its name in any line; "" if unknown."""
    text = "\n".join(lines)
    return next(
        (tool for tool in ("linkerd", "flux", "cilium", "kind") if regex(rf"\b{tool}\b").search(text)), ""
    )
