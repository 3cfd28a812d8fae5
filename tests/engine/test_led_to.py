"""Messages that lead from one object to another make the other's cause the root of findings based on them,
and of no others.
"""

from __future__ import annotations

from datetime import UTC, datetime

from unstuck.diagnosis.answer import CauseMatch
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Evidence, Finding
from unstuck.engine.link import Followed, link
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.aspects.references import Makers
from unstuck.facts.core import Ref, Source
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot

SNAP = Snapshot([], datetime(2026, 11, 21, tzinfo=UTC))
POD, JOB, IMAGE = (
    Ref("Pod", "shop", "api"),
    Ref("Job", "shop", "migrate"),
    Ref("Registry", None, "registry.example.com"),
)
CONTAINER = Ref("Container", "shop/api", "wait")
LINE = LastLines(
    about=CONTAINER, src=Source("/log", "job/migrate is not complete"), lines=("job/migrate is not complete",)
)
PATHS = {JOB: (Followed(POD, LINE),)}


def found(
    id_: str, culprit: Ref, *, via: Ref | None = None, rests_on: tuple[LastLines, ...] = ()
) -> CauseMatch:
    said = Text(id_, id_)
    return CauseMatch(
        id_,
        said,
        "proven",
        Finding(said, culprit, (POD,)),
        tuple(Evidence("decisive", f) for f in rests_on),
        via=via,
    )


def roots(*told: CauseMatch) -> list[str]:
    return [t.id for t in link(told, POD, SNAP, None, PATHS) if t.consequence_of is None]


def test_what_rests_on_the_words_follows_from_what_they_lead_to() -> None:
    assert roots(
        found("a.waits", IMAGE, rests_on=(LINE,)), found("b.fails", Ref("Program", "shop/m", "c"), via=JOB)
    ) == ["b.fails"]


def test_what_is_about_the_one_who_said_them_follows_too() -> None:
    assert roots(found("a.unready", CONTAINER), found("b.fails", Ref("Program", "shop/m", "c"), via=JOB)) == [
        "b.fails"
    ]


def test_a_maker_that_speaks_of_another_matter_does_not_explain_what_is_missing() -> None:
    secret, maker = Ref("Secret", "shop", "tls"), Ref("Ledger.acme.example", "shop", "books")
    makers = Makers(about=secret, src=Source("/x"), refs=(maker,))
    paths = {maker: (Followed(POD, makers),)}
    lacks = found("config.missing", secret)
    words = found("reported.words", maker, via=maker)
    apart = replace(words, finding=replace(words.finding, apart=True))
    for said, left in ((words, 1), (apart, 2)):
        told = link([lacks, said], POD, SNAP, None, paths)
        assert len([t for t in told if t.consequence_of is None]) == left


def test_a_matter_of_its_own_does_not_follow_from_what_the_object_holds() -> None:
    below = found("config.missing", Ref("Secret", "shop", "tls"), via=Ref("Pod", "shop", "part"))
    words = found("reported.words", POD)
    apart = replace(words, confidence="likely", finding=replace(words.finding, apart=True))
    assert all(t.consequence_of is None for t in link([below, apart], POD, SNAP))


def test_an_independent_trouble_stays_a_root() -> None:
    assert roots(found("a.pull", IMAGE), found("b.fails", Ref("Program", "shop/m", "c"), via=JOB)) == [
        "a.pull",
        "b.fails",
    ]


def test_without_a_cause_where_they_lead_nothing_changes() -> None:
    assert roots(found("a.unready", CONTAINER)) == ["a.unready"]
