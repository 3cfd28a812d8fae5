"""One of few open causes is likely if it is by far the most common for the read message, and nothing supports
only another cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.text.support import NOW
from unstuck.api import read
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Evaluation
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Match, Signs, Undecided
from unstuck.engine import diagnose, discover
from unstuck.engine.commonest import conclude_commonest, is_commonest
from unstuck.facts.aspects.host import MountHolders
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.failures import SYMPTOMS
from unstuck.knowledge.same_words import SAME_WORDS, SameWords

say = Messages(__name__)

POD = Ref("Pod", "shop", "web")
# These messages only report that some call failed.
VAGUE = SYMPTOMS | {
    "timeout",
    "deadline-exceeded",
    "other",
    "not-ready",
    "call-failed",
    "failed",
    "mount-refused",
}
REPORTS = Path(__file__).parents[1] / "reports"
EVENT = (
    'Warning  Failed  3s  kubelet  Error: failed to start container "web": Error response from daemon: OCI '
    "runtime create failed: "
    'container_linux.go:348: starting container process caused "exec: \\"bash\\": executable file not found '
    'in $PATH": unknown\n'
)
NODE = "Normal  Scheduled  9s  default-scheduler  Successfully assigned shop/web to node-1\n"


def _failure(n: int, words: SameWords) -> Failure:
    return Failure(
        about=POD, src=Source(f"a.txt:{n}"), whole=False, operation=words.operations[0], error=words.error
    )


def _evaluation(cause: str, seen: Sequence[Fact], value: bool | None = None) -> Evaluation:
    sign = Sign(value, seen=tuple(seen), hits=tuple(seen))
    signs = Signs(
        decisive={},
        necessary={"it is so": sign},
        supporting={"words": sign},
        finding=lambda: Finding(say("it is so"), POD, (POD,)),
    )
    return Evaluation(cause, POD, Sign(None), lambda: signs)


def _title(_: str) -> Text:
    return say("it is so")


def _conclude(judged: Sequence[Evaluation], seen: Sequence[Fact] = ()) -> dict[str, str]:
    """Return the reported causes with their confidence."""
    return {
        e.id: v.confidence
        for e in conclude_commonest(judged, _title, Snapshot(seen, NOW))
        if isinstance(v := e.verdict, Match)
    }


@pytest.mark.parametrize(
    "text", [EVENT, NODE + EVENT, EVENT * 2], ids=["one line", "of a known Node", "twice"]
)
def test_the_commonest_is_likely_and_says_what_else_it_may_be(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    (found,) = read(tmp_path / "a.txt").diagnoses
    (cause,) = found.causes
    assert (cause.id, cause.confidence) == ("container.command-not-found", "likely")
    assert "unless the runtime does not set $PATH" in cause.finding.notes[-1].en
    assert [o.id for o in found.undecided if o.possible] == ["runtime.default-path-missing"]


def test_a_cluster_is_asked_instead() -> None:
    facts = read_text(EVENT, "a.txt", NOW).facts
    pod = next(f.about for f in facts if isinstance(f, Failure))
    of_text, of_cluster = (
        diagnose(pod, Snapshot(facts, NOW, [s]), discover()) for s in ("file:a.txt", "live:shop")
    )
    assert [c.id for c in of_text.causes] == ["container.command-not-found"]
    assert not of_cluster.causes


@pytest.mark.parametrize("words", SAME_WORDS, ids=lambda w: w.error)
def test_what_was_counted(words: SameWords) -> None:
    ids = {c.id for c in discover()} | {"other"}
    assert {cause for cause, _, _ in words.reports} <= ids
    threads = [thread.lower() for _, thread, _ in words.reports]
    assert len(threads) == len({*threads}), "each thread counts once"
    assert words.error not in VAGUE, "a missing result tells of no cause"
    assert any(is_commonest(cause, [], words) for cause in ids - {"other"}), (
        "words without a commonest cause are of no use"
    )


def test_no_report_that_a_figure_is_measured_on_was_counted() -> None:
    measured = {
        report["source"].partition("github.com/")[2].replace("/issues/", "#").replace("/pull/", "#").lower()
        for path in REPORTS.glob("*/reports.yaml")
        for report in yaml.safe_load(path.read_text())["reports"]
    }
    assert len(measured) > 200
    assert not measured & {thread.lower() for words in SAME_WORDS for _, thread, _ in words.reports}


@given(st.data())
def test_no_cause_is_concluded_where_anything_speaks_for_another_one_alone(data: st.DataObject) -> None:
    words = data.draw(st.sampled_from(SAME_WORDS))
    (commonest, _), *rest = sorted(words.count().items(), key=lambda c: -c[1])
    facts = [_failure(n, words) for n in range(4)]
    mine = data.draw(st.lists(st.sampled_from(facts), min_size=1, unique=True))
    others = [
        (
            cause,
            data.draw(st.lists(st.sampled_from(facts), min_size=1, unique=True)),
            data.draw(st.sampled_from((None, True))),
        )
        for cause, _ in data.draw(st.lists(st.sampled_from(rest), unique=True))
    ]
    told = _conclude(
        [_evaluation(commonest, mine), *(_evaluation(c, seen, value) for c, seen, value in others)]
    )
    assert "proven" not in told.values()
    alone = any(not {*seen} <= {*mine} and {*seen} & {*mine} for _, seen, _ in others)
    known = any(value and {*seen} & {*mine} for _, seen, value in others)
    if alone or known:
        assert commonest not in told
    elif all(not {*seen} & {*mine} for _, seen, _ in others):
        assert told.get(commonest) == "likely"


def test_what_else_the_commonest_rests_on_takes_nothing_away() -> None:
    (words, *_) = SAME_WORDS
    (commonest, _), (other, _), *_ = sorted(words.count().items(), key=lambda c: -c[1])
    said = _failure(1, words)
    more = replace(said, src=Source("a.txt:2"))
    rare = next(c for c in words.count() if is_commonest(commonest, [c], words) and c != commonest)
    assert _conclude([_evaluation(commonest, [said]), _evaluation(rare, [said])]) == {commonest: "likely"}
    assert _conclude([_evaluation(commonest, [said, more]), _evaluation(rare, [said])]) == {
        commonest: "likely"
    }
    assert _conclude([_evaluation(commonest, [said]), _evaluation(rare, [said, more])]) == {}
    assert (
        _conclude([_evaluation(commonest, [said]), *(_evaluation(f"{rare}-{n}", [said]) for n in range(3))])
        == {}
    ), "four are too many"
    assert _conclude([_evaluation(other, [said])]) == {}


def test_what_was_looked_at_on_the_node_decides_or_leaves_it_open() -> None:
    words = next(w for w in SAME_WORDS if w.error == "EBUSY")
    said = _evaluation("mount.held-by-process", [_failure(1, words)])
    looked = MountHolders(
        about=Ref("Mount", "node-1", "/run/netns/cni-1"), src=Source("node-1 /proc"), items=()
    )
    assert _conclude([said]) == {"mount.held-by-process": "likely"}
    assert _conclude([said], [looked]) == {}


def test_words_of_another_kind_are_not_counted() -> None:
    (words, *_) = SAME_WORDS
    said = replace(_failure(1, words), error="EACCES")
    commonest = max(words.count(), key=words.count().__getitem__)
    assert _conclude([_evaluation(commonest, [said])]) == {}
    assert isinstance(_evaluation(commonest, [said]).verdict, Undecided)
