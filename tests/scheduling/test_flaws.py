"""Unsatisfiable selectors are named, with their field."""

from __future__ import annotations

import pytest

from unstuck.facts.aspects.placing import PodShape
from unstuck.facts.aspects.placing_terms import NodeTerm, PodTerm, Requirement, Selector, SpreadConstraint
from unstuck.facts.derive.requirements import write_requirement
from unstuck.scheduling.flaws import flaws

A, NOT_A, GONE = (
    Requirement("a", "In", ("x",)),
    Requirement("a", "NotIn", ("x",)),
    Requirement("a", "DoesNotExist"),
)
ODD = Requirement("a", "Exists", ("x",))
NEAR = Requirement("a", "Near", ("x",))
FIELD = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"


def test_a_pod_without_flaws() -> None:
    good = Selector((A,))
    shape = PodShape(
        "default",
        node_selector=(("b", "y"),),
        node_affinity=(NodeTerm((A,)),),
        affinity=(PodTerm("zone", good),),
        anti_affinity=(PodTerm("zone", good, namespace_selector=Selector()),),
        spread=(SpreadConstraint("zone", selector=Selector()),),
    )
    assert flaws(shape) == ()


@pytest.mark.parametrize(
    ("shape", "field", "words", "final"),
    [
        (
            PodShape("n", node_affinity=(NodeTerm((A, NOT_A)),)),
            f"{FIELD}[0]",
            "nothing meets a=x, a notin (x) together",
            True,
        ),
        (
            PodShape("n", node_affinity=(NodeTerm((A, GONE)), NodeTerm((A,)))),
            f"{FIELD}[0]",
            "nothing meets a=x, !a together",
            False,
        ),
        (
            PodShape("n", node_selector=(("a", "x"),), node_affinity=(NodeTerm((NOT_A,)),)),
            f"{FIELD}[0]",
            "contradicts itself",
            True,
        ),
        (PodShape("n", node_affinity=(NodeTerm((ODD,)),)), f"{FIELD}[0]", "values set must be empty", True),
        (PodShape("n", node_affinity=(NodeTerm((), (ODD,)),)), f"{FIELD}[0]", "Unsupported value", True),
        (PodShape("n", node_affinity=(NodeTerm(),)), f"{FIELD}[0]", "is empty", True),
        (PodShape("n", node_affinity=()), FIELD, "no terms", True),
        (PodShape("n", affinity=(PodTerm("z"),)), "labelSelector", "is not given", True),
        (
            PodShape("n", affinity=(PodTerm("z", Selector((A, NOT_A))),)),
            "podAffinity",
            "contradicts itself",
            True,
        ),
        (
            PodShape("n", anti_affinity=(PodTerm("z", Selector((A, NOT_A))),)),
            "podAntiAffinity",
            "contradicts itself",
            False,
        ),
        (
            PodShape("n", anti_affinity=(PodTerm("z", Selector((ODD,))),)),
            "podAntiAffinity",
            "cannot be compiled",
            True,
        ),
        (
            PodShape("n", anti_affinity=(PodTerm("z", Selector((NEAR,))),)),
            "podAntiAffinity",
            "not a valid label selector operator",
            True,
        ),
        (
            PodShape("n", anti_affinity=(PodTerm("z", Selector((A,)), (), Selector((A, GONE))),)),
            "namespaceSelector",
            "contradicts",
            False,
        ),
        (
            PodShape("n", spread=(SpreadConstraint("z"),)),
            "topologySpreadConstraints[0]",
            "is not given",
            False,
        ),
        (
            PodShape("n", spread=(SpreadConstraint("z", selector=Selector((ODD,))),)),
            "Constraints[0]",
            "cannot be compiled",
            True,
        ),
        (
            PodShape(
                "n",
                labels=(("a", "y"),),
                spread=(SpreadConstraint("z", selector=Selector((A,)), match_label_keys=("a",)),),
            ),
            "topologySpreadConstraints[0].labelSelector",
            "nothing meets a=y, a=x together",
            False,
        ),
    ],
)
def test_each_flaw_is_named(shape: PodShape, field: str, words: str, final: bool) -> None:
    (found,) = flaws(shape)
    assert field in found.field and words in found.says.en and found.final is final
    assert found.says.zh and found.says.zh != found.says.en


def test_requirements_as_kubectl_has_them() -> None:
    rows = (
        A,
        NOT_A,
        GONE,
        Requirement("a", "Exists"),
        Requirement("a", "Gt", ("1",)),
        Requirement("a", "In", ("x", "y")),
    )
    assert [write_requirement(r) for r in rows] == ["a=x", "a notin (x)", "!a", "a", "a>1", "a in (x,y)"]
