"""What counts as right, as wrong, and as not said."""

from typing import Any

import pytest

from unstuck_lab.fault import Fault
from unstuck_lab.judging import judge


def make_fault(**different: Any) -> Fault:
    values: dict[str, Any] = {
        "name": "f",
        "summary": "",
        "scope": "pod",
        "subject": "pod/p",
        "namespace": "n",
        "accepts": ("root",),
        "consequences": ("below",),
        "with_node": "proven",
        "without_node": "undecided",
        "needs_node_access": False,
        "apply": lambda _: None,
        "observe": lambda _: None,
        "heal": lambda _: None,
    }
    return Fault(**{**values, **different})


def answer(
    *causes: tuple[str, str],
    undecided: tuple[str, ...] = (),
    state: str = "stuck",
    ask: str = "look",
    leads: tuple[str, ...] | None = None,
) -> dict[str, Any]:
    """undecided: after a name, `+`: something speaks for it; `-`: nothing decides it; `@` and a stage: it
    would stand there.

    leads: the ids that a person is told; None: every one that is undecided.
    """
    named = [
        {"id": name, "confidence": confidence, "consequence_of": 0 if name == "below" else None}
        for name, confidence in causes
    ]
    opened = [
        {
            "id": name.rstrip("+-"),
            "possible": name[-1] == "+",
            "stage": stage,
            "wants": [{"ask": "" if name[-1] == "-" else ask}],
        }
        for name, _, stage in (one.partition("@") for one in undecided)
    ]
    told = [one["id"] for one in opened] if leads is None else [*leads]
    return {"diagnoses": [{"state": state, "causes": named, "undecided": opened, "leads": told}]}


@pytest.mark.parametrize(
    ("least", "report", "outcome", "ok"),
    [
        ("proven", answer(("root", "proven")), "proven", True),
        ("proven", answer(("root", "likely")), "likely", False),
        ("likely", answer(("root", "likely"), ("below", "proven")), "likely", True),
        ("likely", answer(("below", "proven"), ("root", "proven")), "wrong", False),
        ("likely", answer(("root", "proven"), ("other", "likely")), "wrong", False),
        ("undecided", answer(undecided=("other", "root")), "undecided", True),
        ("likely", answer(undecided=("root",)), "undecided", False),
        ("undecided", answer(undecided=("root",), ask=""), "missed", False),
        ("undecided", answer(undecided=("a", "b", "c", "root")), "missed", False),
        ("undecided", answer(undecided=("a", "b", "c", "root+")), "undecided", True),
        ("undecided", answer(undecided=("a@1", "b@1", "c@2", "d@2", "root@3")), "undecided", True),
        ("undecided", answer(undecided=("a@1", "b@2", "c@3", "root@4")), "missed", False),
        ("undecided", answer(undecided=("a-", "root")), "missed", False),
        ("undecided", answer(undecided=("a-", "root"), leads=("root",)), "undecided", True),
        ("undecided", answer(undecided=("a+", "root")), "missed", False),
        ("undecided", answer(), "missed", False),
        ("undecided", answer(("below", "proven"), undecided=("root",)), "undecided", True),
        ("fine", answer(state="fine"), "fine", True),
        ("fine", answer(("other", "likely"), state="fine"), "wrong", False),
    ],
)
def test_an_answer_to_a_fault(least: Any, report: dict[str, Any], outcome: str, ok: bool) -> None:
    judged = judge(make_fault(), least, report)
    assert (judged.outcome, judged.ok) == (outcome, ok)


@pytest.mark.parametrize(
    ("state", "outcome"),
    [("fine", "fine"), ("progressing", "fine"), ("stuck", "wrong"), ("unknown", "wrong")],
)
def test_an_answer_to_a_healthy_object(state: str, outcome: str) -> None:
    assert judge(make_fault(accepts=(), consequences=()), "fine", answer(state=state)).outcome == outcome


def test_a_consequence_that_is_not_shown_as_one_is_wrong() -> None:
    said = answer(("root", "proven"), ("below", "proven"))
    said["diagnoses"][0]["causes"][1]["consequence_of"] = None
    assert judge(make_fault(), "likely", said).outcome == "wrong"


def test_more_certainty_than_anybody_has_is_wrong() -> None:
    assert judge(make_fault(at_most="likely"), "undecided", answer(("root", "proven"))).outcome == "wrong"
