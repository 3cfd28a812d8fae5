"""Text copied with a terminal's frame reads like the text in it."""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.collect.text.cutting.frame import unframe
from unstuck.collect.text.cutting.piece import WHOLE
from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.cluster import Unschedulable

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
SHOWN = [
    "Events:",
    "  Type     Reason            Age  From               Message",
    "  ----     ------            ---- ----               -------",
    "  Warning  FailedScheduling  2m   default-scheduler  0/2 nodes are available: 1 Insuffici",
    "ent cpu, 1 node(s) had volume node affinity conflict.",
]


def test_a_broken_line_is_whole_again_and_keeps_its_place():
    width = max(map(len, SHOWN))
    lines = [f"│ {line:{width}} │" for line in SHOWN]
    (told,) = (f for f in read_text("\n".join(lines), "paste.txt", NOW).facts if isinstance(f, Unschedulable))
    assert told.reasons == (("Insufficient cpu", 1), ("node(s) had volume node affinity conflict", 1))
    assert told.src.where == "paste.txt:4"


def test_lines_behind_a_broken_one_keep_their_numbers():
    text, origin = unframe("┌────┐\n│ ab │\n│ cd │\n│ e  │\n│ f  │\nend", WHOLE)
    assert (text, origin.numbers) == ("\nabcde\nf\nend", (1, 2, 5, 6))


def test_a_tree_of_processes_is_no_frame():
    tree = "     CGroup: /system.slice\n             ├─1234 /usr/bin/kubelet\n             │ └─1235 sleep\n             └─1236 sh"
    assert unframe(tree, WHOLE) == (tree, WHOLE)
