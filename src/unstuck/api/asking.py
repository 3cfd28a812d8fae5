"""Chooses the question to a cluster about named or selected objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from unstuck.api.cluster import Cluster
from unstuck.api.nodes import Nodes
from unstuck.api.report import Report
from unstuck.api.subject import QuestionTarget
from unstuck.api.waiting import Pause


def choose_question(
    cluster: Cluster,
    target: QuestionTarget,
    nodes: Nodes | None,
    facts: Sequence[str] = (),
    after: float | None = None,
    timeout: float | None = None,
    pause: Pause | None = None,
) -> Callable[[], Report]:
    """Return a function that asks about one object, about several, or about the worst problem.

    timeout, pause: as in `Cluster.wait`, which is used for one object if a timeout is given. Other parameters
    as in `Cluster.why`. Errors: those of `Cluster.find`.
    """
    if len(target.refs) > 1:
        return partial(cluster.why_all, target.refs, nodes=nodes, facts=facts, after=after)
    if target.kinds:
        return partial(
            cluster.why_selected,
            target.kinds,
            labels=target.labels,
            fields=target.fields,
            everywhere=target.everywhere,
            nodes=nodes,
            facts=facts,
            after=after,
        )
    subject = target.refs[0] if target.refs else cluster.find(target.name) if target.name else None
    if subject is not None and timeout is not None:
        return partial(
            cluster.wait, subject, timeout=timeout, nodes=nodes, facts=facts, after=after, pause=pause
        )
    return partial(cluster.why, subject, everywhere=target.everywhere, nodes=nodes, facts=facts, after=after)
