"""Parts of the scheduler's inputs: selectors, tolerations, affinity, spreading; as written."""

from __future__ import annotations

from unstuck.facts.record import Record, record

Pairs = tuple[tuple[str, str], ...]
Amounts = tuple[tuple[str, int], ...]


@record()
class UnreadableField(Record):
    """A field with a value that the scheduler cannot use. field: `status.allocatable.memory`. written: its
    value. why: the fault.
    """

    field: str
    written: str
    why: str


@record()
class Requirement(Record):
    """One line of a selector. operator: `In`, `NotIn`, `Exists`, `DoesNotExist`, and for Nodes `Gt`, `Lt`;
    others are kept as written.
    """

    key: str
    operator: str
    values: tuple[str, ...] = ()


@record()
class Selector(Record):
    """A label selector: all requirements must hold. Without requirements it selects everything; a missing
    selector is None.
    """

    requirements: tuple[Requirement, ...] = ()


@record()
class NodeTerm(Record):
    """One of the ORed terms of a node selector. fields: `matchFields`. An empty term matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()


@record()
class Toleration(Record):
    """One toleration. operator "" means `Equal`; effect "" any effect; key "" with `Exists` any taint."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""


@record()
class PodTerm(Record):
    """A term of Pod affinity or anti-affinity. selector, namespace_selector: None where not given."""

    topology_key: str
    selector: Selector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: Selector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


@record()
class SpreadConstraint(Record):
    """One entry of `topologySpreadConstraints`; only `DoNotSchedule` ones keep a Pod from a Node. The
    policies as written, "" not given.
    """

    topology_key: str
    max_skew: int = 1
    when: str = "DoNotSchedule"
    selector: Selector | None = None
    min_domains: int | None = None
    affinity_policy: str = ""
    taints_policy: str = ""
    match_label_keys: tuple[str, ...] = ()
