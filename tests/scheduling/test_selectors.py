"""Selectors match like the API machinery's own test tables (labels/selector_test.go, nodeaffinity_test.go,
helpers_test.go).
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from unstuck.facts.aspects.placing_terms import NodeTerm, Requirement, Selector
from unstuck.scheduling.labels import key_faults, requirement_faults, value_faults
from unstuck.scheduling.selectors import (
    SelectorError,
    contradiction,
    holds,
    label_selector,
    node_selector,
    topology_matches,
)

Row = tuple[str, str, tuple[str, ...]]


def rows(*written: Row) -> tuple[Requirement, ...]:
    return tuple(Requirement(*row) for row in written)


def of_labels(*written: Row) -> NodeTerm:
    return NodeTerm(rows(*written))


def of_fields(*written: Row) -> NodeTerm:
    return NodeTerm((), rows(*written))


GPU = {"disk": "ssd", "cores": "8"}


@pytest.mark.parametrize(
    ("operator", "key", "values", "labels", "met"),
    [
        ("In", "disk", ("ssd", "nvme"), GPU, True),
        ("In", "disk", ("hdd",), GPU, False),
        ("In", "zone", ("a",), GPU, False),
        ("NotIn", "disk", ("hdd",), GPU, True),
        ("NotIn", "disk", ("ssd",), GPU, False),
        ("NotIn", "zone", ("a",), GPU, True),
        ("Exists", "disk", (), GPU, True),
        ("Exists", "zone", (), GPU, False),
        ("DoesNotExist", "disk", (), GPU, False),
        ("DoesNotExist", "zone", (), GPU, True),
        ("Gt", "cores", ("7",), GPU, True),
        ("Gt", "cores", ("8",), GPU, False),
        ("Lt", "cores", ("9",), GPU, True),
        ("Lt", "cores", ("8",), GPU, False),
        ("Gt", "disk", ("1",), GPU, False),
        ("Lt", "zone", ("1",), GPU, False),
        ("Gt", "cores", ("1",), {"cores": "99999999999999999999"}, False),
    ],
)
def test_each_operator(
    operator: str, key: str, values: tuple[str, ...], labels: Mapping[str, str], met: bool
) -> None:
    assert not requirement_faults(Requirement(key, operator, values))
    assert holds(Requirement(key, operator, values), labels) is met


def test_a_selector_that_was_not_given_selects_nothing_and_an_empty_one_everything() -> None:
    nothing, everything = label_selector(None), label_selector(Selector())
    assert not nothing.matches({}) and not nothing.empty
    assert everything.matches({}) and everything.empty
    assert not nothing.with_labels([("a", "b")]).matches({"a": "b"})
    assert everything.with_labels([("a", "b")]) == label_selector(Selector(rows(("a", "In", ("b",)))))


def test_all_requirements_must_be_met() -> None:
    selector = label_selector(Selector(rows(("app", "In", ("web",)), ("tier", "In", ("front", "back")))))
    assert selector.matches({"app": "web", "tier": "back"})
    assert not selector.matches({"app": "web"})
    assert not selector.matches({"tier": "back"})


@pytest.mark.parametrize(
    ("key", "operator", "values"),
    [
        ("a", "In", ()),
        ("a", "NotIn", ()),
        ("a", "Exists", ("x",)),
        ("a", "DoesNotExist", ("x",)),
        ("a", "Gt", ("x",)),
        ("a", "Gt", ("1", "2")),
        ("a", "Lt", ()),
        ("a", "Gt", ("-1",)),
        ("a", "in", ("x",)),
        ("", "Exists", ()),
        ("a b", "Exists", ()),
        ("A/b", "Exists", ()),
        ("a/b/c", "Exists", ()),
        ("/a", "Exists", ()),
        ("a", "In", ("b c",)),
        ("a", "In", ("x" * 64,)),
    ],
)
def test_what_the_api_machinery_refuses_is_named(key: str, operator: str, values: tuple[str, ...]) -> None:
    assert node_selector([of_labels((key, operator, values))]).fault.startswith(
        "nodeSelectorTerms[0].matchExpressions[0]."
    )


def test_label_selectors_know_no_numbers() -> None:
    with pytest.raises(SelectorError, match="Gt"):
        label_selector(Selector(rows(("a", "Gt", ("1",)))))


def test_names_of_labels() -> None:
    assert not key_faults("kubernetes.io/hostname")
    assert key_faults("x" * 64) and key_faults(f"{'x' * 254}/a") and not key_faults("x" * 63)
    assert not value_faults("") and not value_faults("A.b_c-1") and value_faults("-a")


def test_terms_of_a_node_selector_are_alternatives_and_an_empty_one_matches_no_node() -> None:
    assert not node_selector([]).matches({}, "n")
    assert not node_selector([NodeTerm()]).matches({}, "n")
    assert node_selector([of_labels(("a", "Exists", ())), of_labels(("b", "Exists", ()))]).matches(
        {"b": ""}, "n"
    )


def test_fields_are_the_name_alone() -> None:
    by_name = node_selector([of_fields(("metadata.name", "In", ("n1",)))])
    assert by_name.matches({}, "n1") and not by_name.matches({}, "n2")
    assert node_selector([of_fields(("metadata.name", "NotIn", ("n1",)))]).matches({}, "n2")
    assert not node_selector([of_fields(("metadata.uid", "In", ("n1",)))]).matches({}, "n1")
    assert node_selector([of_fields(("metadata.uid", "NotIn", ("n1",)))]).matches({}, "n1")


def test_of_a_volume_only_labels_are_compared() -> None:
    """A PersistentVolume's affinity is matched against labels without a name, and fields are then passed
    over.
    """
    assert node_selector([of_fields(("metadata.name", "In", ("n1",)))]).matches({})


def test_a_term_that_does_not_compile_is_named_and_hides_no_other() -> None:
    bad = of_labels(("a", "Gt", ("x",)))
    alone = node_selector([bad])
    assert not alone.matches({"a": "1"}, "n") and "integer" in alone.fault
    both = node_selector([bad, of_labels(("b", "Exists", ()))])
    assert both.matches({"b": ""}, "n") and both.fault
    assert "one element" in node_selector([of_fields(("metadata.name", "In", ("a", "b")))]).fault
    assert "Exists" in node_selector([of_fields(("metadata.name", "Exists", ()))]).fault


def test_allowed_topologies() -> None:
    assert topology_matches([], {})
    assert topology_matches(
        [
            [
                (
                    "zone",
                    (
                        "a",
                        "b",
                    ),
                )
            ]
        ],
        {"zone": "b"},
    )
    assert not topology_matches([[("zone", ("a",)), ("rack", ("1",))]], {"zone": "a"})
    assert not topology_matches([[]], {})
    assert topology_matches([[("zone", ())], [("rack", ("1",))]], {"rack": "1"})
    assert not topology_matches([[("zone", ())]], {"zone": ""})


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ([("a", "In", ("x",)), ("a", "NotIn", ("x",))], True),
        ([("a", "In", ("x",)), ("a", "In", ("y",))], True),
        ([("a", "Exists", ()), ("a", "DoesNotExist", ())], True),
        ([("a", "In", ("x",)), ("a", "DoesNotExist", ())], True),
        ([("a", "Gt", ("5",)), ("a", "Lt", ("6",))], True),
        ([("a", "Gt", ("5",)), ("a", "DoesNotExist", ())], True),
        ([("a", "In", ("1", "9")), ("a", "Gt", ("9",))], True),
        ([("a", "Gt", ("5",)), ("a", "Lt", ("7",))], False),
        ([("a", "NotIn", ("x",)), ("a", "DoesNotExist", ())], False),
        ([("a", "In", ("x", "y")), ("a", "NotIn", ("x",))], False),
        ([("a", "In", ("x",)), ("b", "NotIn", ("x",))], False),
        ([], False),
    ],
)
def test_requirements_that_no_label_can_meet_together(written: list[Row], kept: bool) -> None:
    assert contradiction(rows(*written)) == (rows(*written) if kept else ())
