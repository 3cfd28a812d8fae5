"""The text output, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from tests.render.support import (
    NOW,
    PATH,
    POD,
    diagnose_flagged,
    make_deleted_pod,
    make_denied,
    make_node_facts,
    make_snapshot,
    report,
)
from unstuck.diagnosis.answer import Answer, CauseMatch, Diagnosis, Stage, State
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Evidence, Finding
from unstuck.engine import group_incidents
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Ref, Source
from unstuck.render.cells import count_cells
from unstuck.render.scan import scan
from unstuck.render.text import write_text
from unstuck.render.words import WORDS

PROVEN_EN = f"""\
✗ Pod default/ed-immut — Terminating for 12 min (grace period was 2 s), on node lab-1

  WHY    proven  The kubelet cannot empty volume "d": a file carries the immutable flag  test.flagged
  FIX    take the flag off this file
         on lab-1, reversible: chattr -i '{PATH}'
         undo: chattr +i '{PATH}'
         then: the kubelet retries automatically within 2 min
  DON'T  force delete: the directory stays on lab-1 and is never retried

  PROOF  lab-1  …/volumes/kubernetes.io~empty-dir/d/x   flags ----i---
         lab-1  kubelet.log:5120   unlinkat …/d/x: operation not permitted   ×9, last 14 s ago
         No Event is written for it.
         → The Pod's status does not reach the API  proven test.silent
         affects 1 Pod · 1 Service
         6 of 11 steps done ✓ · unmount volumes ✗ · then: remove cgroup · final delete · clear finalizers · and 1 more
"""

PROVEN_ZH = f"""\
✗ Pod default/ed-immut：Terminating 已 12 分钟（宽限期 2 秒，已过），节点 lab-1

  原因   已证实  kubelet 无法清空卷 d：有文件带不可变属性  test.flagged
  处理   仅清除该文件的属性
         在 lab-1 上，可撤销：chattr -i '{PATH}'
         撤销：chattr +i '{PATH}'
         随后：kubelet 会在 2 分钟内自动重试
  不要   强制删除：目录会留在 lab-1 上且不再重试

  依据   lab-1  …/volumes/kubernetes.io~empty-dir/d/x   flags ----i---
         lab-1  kubelet.log:5120   unlinkat …/d/x: operation not permitted   ×9，最近一次在 14 秒前
         API 中不会出现相关事件。
         → Pod 状态无法上报  已证实 test.silent
         影响范围：1 个 Pod · 1 个 Service
         11 步完成 6 步 ✓ · 卸载卷 ✗ · 之后：删除 cgroup · 最终删除 · 清除 finalizer · 另有 1 项
"""

OPEN_EN = """\
✗ Pod default/ed-immut — Terminating for 12 min (grace period was 2 s), on node lab-1

  WHY    not decided; these 3 fit what was seen:
         · status is refused  test.silent
         · a file is immutable  test.flagged
  NEXT   unstuck why pod/ed-immut -n default
         reads everything about it from the API server, read-only

  ALSO   · a mount is busy  test.mount-busy
         1 of 11 steps done ✓ · notify kubelet ? · stop sandbox ? · report status ? · and 3 more ·
           then: clear finalizers · removal

  UNSEEN Pod default/ed-immut (events) — not allowed: User "eve" cannot list events
"""


def proven() -> Answer:
    return report(make_snapshot(*make_deleted_pod(), *make_node_facts()))


def undecided() -> Answer:
    return report(make_snapshot(*(f for f in make_deleted_pod() if not isinstance(f, Phase)), make_denied()))


def test_a_proven_cause_with_its_evidence_chain_reach_help_and_what_not_to_do() -> None:
    assert write_text(proven(), "en", 120, False) == PROVEN_EN


def test_the_same_in_chinese() -> None:
    assert write_text(proven(), "zh", 120, False) == PROVEN_ZH


def test_below_100_columns_a_command_is_a_line_of_its_own() -> None:
    shown = write_text(proven(), "en", 80, False).splitlines()
    assert f"chattr -i '{PATH}'" in shown and f"chattr +i '{PATH}'" in shown
    assert shown[shown.index(f"chattr -i '{PATH}'") - 1].strip() == "on lab-1, reversible:"
    ours = [
        one
        for one in shown
        if one[:1].isalpha()
        and one.split()[0] not in ("WHY", "FIX", "DON'T", "NEXT", "PROOF", "SAYS", "UNSEEN")
    ]
    assert [one.split()[0] for one in ours] == ["chattr", "chattr"], (
        "nothing else begins where commands begin"
    )


@pytest.mark.parametrize("width", [80, 120])
def test_what_why_and_what_to_do_stand_within_the_first_eight_lines(width: int) -> None:
    first = "\n".join(write_text(proven(), "en", width, False).splitlines()[:8])
    assert (
        "Terminating" in first and "test.flagged" in first and "chattr -i" in first and "reversible" in first
    )
    first = "\n".join(write_text(undecided(), "en", width, False).splitlines()[:8])
    assert "Terminating" in first and "NEXT" in first and "unstuck why pod/ed-immut -n default" in first


def test_without_the_node_it_is_undecided_and_says_what_would_decide_and_what_was_not_allowed() -> None:
    assert write_text(undecided(), "en", 100, False) == OPEN_EN


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 160])
def test_lines_fit_but_for_commands_which_can_be_copied(lang: str, width: int) -> None:
    for one in write_text(proven(), lang, width, False).splitlines():
        assert count_cells(one) <= width or PATH in one


def test_colour_changes_no_character() -> None:
    plain, coloured = write_text(proven(), "zh", 90, False), write_text(proven(), "zh", 90, True)
    for code in ("0", "1", "2", "31", "32", "33", "36"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert [one.rstrip() for one in coloured.splitlines()] == plain.splitlines()


def test_fine_is_one_line() -> None:
    d = Diagnosis(POD, State("fine", Text("Pod default/x is running and ready", "运行正常")), (), (), (), ())
    assert write_text(Answer(NOW, (), (d,)), "en", 80, False) == "✓ Pod default/x is running and ready\n"


def test_nothing_to_tell_says_so() -> None:
    assert write_text(Answer(NOW, (), ()), "en", 80, False) == "✓ No problems found.\n"


def test_nothing_known_says_how_many_were_ruled_out() -> None:
    d = Diagnosis(POD, State("stuck", Text("x", "x")), (), (), (), ())
    assert "No known cause matches" in write_text(Answer(NOW, (), (d,)), "en", 200, False)


def test_a_screen_holds_an_answer_with_much_to_tell() -> None:
    facts = tuple(
        Evidence("decisive", Phase(about=POD, src=Source(f"f.txt:{i}", f"line {i}"), phase="Failed"))
        for i in range(200)
    )
    told = tuple(
        CauseMatch(
            f"a.c{i}",
            Text("t", "t"),
            "likely",
            Finding(Text("says", "说"), Ref("File", "n", str(i)), (POD,)),
            facts,
        )
        for i in range(30)
    )
    stages = tuple(Stage(f"s{i}", Text("stage", "阶段"), "unknown") for i in range(11))
    d = Diagnosis(POD, State("stuck", Text("head", "头")), stages, told, (), ())
    assert len(write_text(Answer(NOW, (), (d,)), "en", 100, False).splitlines()) < 60


def test_a_stage_says_how_long_ago() -> None:
    stage = Stage(
        "containers-stopped",
        Text("stop containers", "停止容器"),
        "done",
        datetime.fromisoformat("2026-11-20T23:55:32Z"),
    )
    d = replace(undecided().diagnoses[0], stages=(stage,))
    assert "stop containers ✓ 11 min ago" in write_text(Answer(NOW, (), (d,)), "en", 100, False, "wide")


def test_every_word_of_the_interface_exists_in_both_languages_with_the_same_values() -> None:
    for key, word in WORDS.items():
        assert word.en.strip() and word.zh.strip(), key
        assert _values(word.en) == _values(word.zh), key


def _values(s: str) -> set[str]:
    return {part.partition("}")[0] for part in s.split("{")[1:]}


def test_a_scan_shows_the_widest_incident_first_then_how_to_look_closer() -> None:
    pods = [Ref("Pod", "default", f"p{i}", f"41300886-{i}") for i in range(3)]
    facts = [f for p in pods for f in (*make_deleted_pod(p), *make_node_facts(p))]
    other = Ref("Pod", "default", "other", "0")
    facts += [f for f in make_deleted_pod(other) if not isinstance(f, Phase)]
    snap = make_snapshot(*facts)
    found = tuple(diagnose_flagged(snap, s) for s in (*pods, other))
    out = scan(Answer(snap.now, snap.sources, found, group_incidents(found, snap)), "en", 120, False)
    lines = out.splitlines()
    assert lines[0].startswith("✗ lab: 2 incidents, 4 objects · 1 proven  1 open · ")
    assert lines[2] == "  NOT GOING AWAY" and lines[3].startswith("  1 ● default/pod/p0 +2 more")
    assert "a file carries the immutable flag" in " ".join(lines[3:5])
    assert any(row.startswith("  2 ○ default/pod/other") for row in lines)
    assert "unstuck why pod/p0 -n default" in out
