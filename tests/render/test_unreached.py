"""Explanations for a silent node, in either language."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from tests.render.support import NOW, make_deleted_pod, make_node_facts, make_snapshot, report
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Ref, Source
from unstuck.render.text import write_text
from unstuck.render.unreached import ANY, PLAIN, SENTENCES

NODE = Ref("Node", None, "lab-1")


def unreached(way: str, reason: str, **more: object) -> Unreached:
    return Unreached(about=NODE, src=Source("node:lab-1"), way=way, why="timeout", reason=reason, **more)


def shown(*facts: Unreached, lang: str = "en", known: bool = False) -> str:
    # Without its phase no cause matches, and only the node could decide.
    open_ = [f for f in make_deleted_pod() if known or not isinstance(f, Phase)]
    snap = make_snapshot(*open_, *(make_node_facts() if known else ()), *facts)
    return " ".join(write_text(report(snap), lang, 200, False).split())


@pytest.mark.parametrize("said", [*SENTENCES.values(), *ANY.values(), PLAIN])
def test_both_languages_say_the_same_things(said: object) -> None:
    en, zh = (set(re.findall(r"\{(\w+)[:}]", t)) for t in (said.en, said.zh))
    assert en == zh and (said is PLAIN or re.search("[一-鿿]", said.zh))


@pytest.mark.parametrize(("way", "reason"), [*SENTENCES, *(("ssh", r) for r in ANY), ("ssh", "")])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_reason_is_a_sentence_with_its_values(way: str, reason: str, lang: str) -> None:
    fact = unreached(
        way,
        reason,
        detail="words of a stranger",
        seconds=6.0,
        since=NOW - timedelta(hours=3),
        name="some-name",
    )
    line = shown(fact, lang=lang).partition("Node lab-1 — ")[2]
    assert line and "{" not in line and "None" not in line


def test_an_agent_that_has_been_going_for_hours_is_a_fact_worth_telling() -> None:
    fact = unreached("agent", "pod-terminating", since=NOW - timedelta(hours=3), name="unstuck-agent-x")
    assert "its Pod unstuck-agent-x has been Terminating for 3 h" in shown(fact)
    assert "处于 Terminating 已 3 小时" in shown(fact, lang="zh")
    assert "Terminating for 3 h" in shown(fact, known=True)


def test_that_there_is_no_agent_is_told_only_to_who_looks_for_a_way() -> None:
    fact = unreached("agent", "absent")
    assert "UNSEEN Node lab-1 — no agent is installed" in shown(fact)
    assert "agent" not in shown(fact, known=True)


def test_all_ways_to_a_node_are_one_row_in_the_order_they_were_tried() -> None:
    line = shown(
        unreached("probe", "node-suspect"),
        unreached("ssh", "", detail="refused"),
        unreached("agent", "pod-absent"),
    )
    assert (
        "the agent has no Pod on this node; ssh: no answer in time: refused; no Pod was made to look: "
        "the node is not Ready"
    ) in line


@pytest.mark.parametrize(
    ("tried", "offered"),
    [
        ((), "--ssh=lab-1"),
        (("agent",), "--ssh=lab-1"),
        (("agent", "ssh"), "--probe"),
        (("ssh", "probe"), "unstuck node --here"),
    ],
)
def test_what_is_proposed_has_not_been_tried(tried: tuple[str, ...], offered: str) -> None:
    open_ = [f for f in make_deleted_pod() if not isinstance(f, Phase)]
    (found,) = report(make_snapshot(*open_, *(unreached(way, "unreadable") for way in tried))).diagnoses
    looks = [c for look in found.shortlist.looks for c in (look.command, look.instead) if c]
    said = "\n".join(c.line for c in (*looks, *(one.command for one in found.next)))
    assert offered in said and all(f"--{way}" not in said for way in tried)
    assert f"unstuck why pod/ed-immut -n default {offered}" in said or offered.startswith("unstuck")


def test_a_strangers_words_stay_in_their_line_and_on_it() -> None:
    said = shown(unreached("ssh", "", detail="bad \x1b[2J {name} " + "x" * 5000))
    assert "\x1b" not in said and "{name}" in said and said.count("x") < 400
