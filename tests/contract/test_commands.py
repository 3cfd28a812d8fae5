"""With any foreign names, each printed command has the intended words, and pasting it runs nothing else."""

from __future__ import annotations

import html as html_
import json
import re
import shlex
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random

import pytest
import yaml
from scripts.cases import load_cases

from tests.contract.hostile import CLASSES, VALUES, Changed, change, rename
from tests.contract.shelled import list_options, list_programs, run_lines
from tests.contract.support import NOW, load_all, load_facts
from tests.examples import FEW
from tests.recorded.baseline import HERE as RECORDED
from unstuck.api.saved_files import parse_saved
from unstuck.diagnosis import asking, given
from unstuck.diagnosis.answer import Answer
from unstuck.diagnosis.command import Command
from unstuck.diagnosis.verdict import Match, Undecided, judge
from unstuck.engine import diagnose, discover, group_incidents
from unstuck.engine.manual_commands import spell
from unstuck.facts.core import Ref, find_refs
from unstuck.facts.snapshot import Snapshot
from unstuck.render.html import write_html
from unstuck.render.json import write_json
from unstuck.render.markdown import write_markdown
from unstuck.render.names import names
from unstuck.render.scan import scan
from unstuck.render.text import write_text
from unstuck.render.words import Lang
from unstuck.render.yaml import write_yaml

# The number of changed cases judged by their own cause, and the number answered in full and printed in every
# format.
JUDGED, PRINTED = (1000, 30) if FEW else (10000, 250)
# YAML is slow to write: one answer in so many is printed as YAML, and some have no command.
YAML_EVERY = 4 if FEW else 16
# With fewer commands than this, some source is no longer covered.
FLOOR_MADE, FLOOR_PRINTED = (400, 50) if FEW else (1000, 200)
SEED = 20261122
COMMAND = re.compile(r"\x1b\[36m(.*?)\x1b\[0m")


def judged() -> Iterator[Command]:
    """Yield the commands of changed cases from their own cause's rule: steps, questions, and repeated
    questions.
    """
    cases, random = load_all(), Random(SEED)  # noqa: S311 - the same each time
    for n in range(JUDGED):
        loaded = cases[random.randrange(len(cases))]
        one = _changed(loaded.snapshot, loaded.subject, n, random)
        if one is None:
            continue
        subject = one.snapshot.canon(one.subject)
        signs = loaded.cause.rule(subject, one.snapshot)
        yield from _nearer(subject)
        # The stage's state is irrelevant here: a finding is made of the names in any case.
        verdict = judge(signs, signs.applies)
        if isinstance(verdict, Match):
            yield from (c for step in verdict.finding.help for c in (step.command, step.undo))
        if isinstance(verdict, Match | Undecided):
            yield from (spell(want, one.snapshot) for want in verdict.wants)


def _changed(snap: Snapshot, subject: Ref, n: int, random: Random) -> Changed | None:
    what, value = CLASSES[n % len(CLASSES)], VALUES[(n // len(CLASSES)) % len(VALUES)]
    return change(snap.facts, subject, snap, what, value, random)


def _nearer(subject: Ref) -> Iterator[Command]:
    yield asking.ask_why(subject)
    yield asking.ask_by_ssh(subject, subject.name or "n-1")
    yield asking.ask_by_probe(subject)
    yield asking.ask_on_node(subject)


def snapshots() -> list[tuple[Snapshot, Ref]]:
    """Return the shipped records, the field notes, and every case."""
    demo = [
        parse_saved(r.read_bytes(), r.name)
        for r in (files("unstuck") / "demo").iterdir()
        if r.name.endswith(".json.gz")
    ]
    found = [(saved.snapshot, saved.asked) for saved in demo if saved.asked]
    notes = [
        case for path in sorted((RECORDED / "field_notes").glob("*.cases.md")) for case in load_cases(path)
    ]
    found += [(Snapshot(load_facts(case), case.now or NOW), case.subject) for case in notes]
    return [*found, *((loaded.snapshot, loaded.subject) for loaded in load_all())]


@pytest.fixture(scope="module")
def made() -> dict[str, Command]:
    return {c.line: c for c in judged() if c}


def test_each_has_the_words_that_were_meant_and_starts_nothing_else(
    made: dict[str, Command], tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    record_property("commands", len(made))
    assert len(made) > FLOOR_MADE
    allowed, known = list_options(), list_programs() | {"time", "sh"}
    lines = sorted(made)
    for line, ran in zip(lines, run_lines(lines, tmp_path), strict=True):
        told = made[line]
        assert ran, line
        _no_option_but_ours(told.argv if told.argv[:2] != ("sh", "-c") else told.argv[4:], allowed)
        if tuple(shlex.split(line)) == told.argv:
            assert ran == [told.argv], line
        else:
            # In a shell, each filled-in value is still one word.
            assert {argv[0] for argv in ran} <= known, line
            words = [word for argv in ran for word in argv]
            assert all(value in words for value in told.argv[4:]), (line, ran)


def _no_option_but_ours(words: tuple[str, ...], allowed: frozenset[str]) -> None:
    for word in words:
        if word == "--":
            return
        assert not word.startswith("-") or word.partition("=")[0] in allowed, words


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_printed_is_that_in_every_form(
    lang: Lang, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    found, random, causes = snapshots(), Random(f"{SEED}{lang}"), discover()  # noqa: S311
    printed: dict[str, set[str]] = {}
    for n in range(PRINTED):
        one = _changed(*found[random.randrange(len(found))], n, random)
        if one is None:
            continue
        diagnosis = diagnose(one.subject, one.snapshot, causes)
        report = Answer(
            one.snapshot.now, ("test",), (diagnosis,), tuple(group_incidents((diagnosis,), one.snapshot))
        )
        for form, lines in _forms(report, lang, as_yaml=n % YAML_EVERY == 0).items():
            for line in filter(None, lines):
                printed.setdefault(line, set()).add(form)
    record_property("commands", len(printed))
    assert len(printed) > FLOOR_PRINTED
    assert set().union(*printed.values()) == {"text", "scan", "json", "yaml", "markdown", "html", "name"}
    allowed, known = list_options(), list_programs() | {"time", "sh"}
    lines = sorted(printed)
    for line, ran in zip(lines, run_lines(lines, tmp_path), strict=True):
        assert ran and {argv[0] for argv in ran} <= known, (printed[line], line, ran)
        assert line.isprintable(), line
        for argv in ran:
            _no_option_but_ours(argv, allowed)


def _forms(report: Answer, lang: Lang, *, as_yaml: bool) -> dict[str, list[str]]:
    """Return the lines of commands in each format, as copied by a person. as_yaml: whether to include YAML,
    the slowest format.
    """
    doc = json.loads(write_json(report))
    marked, paged = write_markdown(report, lang), write_html(report, lang)
    return {
        "scan": COMMAND.findall(scan(report, lang, 100, colour=True)),
        "json": _of_document(doc),
        "yaml": _of_document(yaml.safe_load(write_yaml(report))) if as_yaml else [],
        "markdown": [code for _, code in re.findall(r"(?<![`\\])(`+) ?([^`].*?) ?\1(?!`)", marked)],
        "html": [html_.unescape(code) for code in re.findall(r"<code>(.*?)</code>", paged)],
        "name": [f"unstuck why {line}" for line in names(report).splitlines()],
        "text": COMMAND.findall(write_text(report, lang, 100, colour=True)),
    }


def _of_document(doc: object) -> list[str]:
    """Return the steps' argv as lines, and the questions."""
    if isinstance(doc, list):
        return [line for item in doc for line in _of_document(item)]
    if not isinstance(doc, dict):
        return []
    mine = [shlex.join(doc[key]) for key in ("command", "undo") if doc.get(key)] + (
        [doc["ask"]] if "ask" in doc else []
    )
    return mine + [line for value in doc.values() for line in _of_document(value)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_pull_secret_that_cannot_be_there_is_shown_as_evidence_and_not_made(lang: Lang) -> None:
    """`imagePullSecrets: [{name: "--all"}]`, which the API server takes: the undo once was `kubectl delete
    secret --all`.
    """
    cases = [
        c
        for c in load_all()
        if c.cause.id == "image.credentials-missing" and c.case.expect in ("proven", "likely")
    ]
    shown = 0
    for loaded in cases:
        secrets = {
            ref.name
            for f in loaded.snapshot.facts
            for ref in find_refs(f)
            if ref.kind == "Secret" and ref.name
        }
        facts = [rename(f, dict.fromkeys(secrets, "--all")) for f in loaded.snapshot.facts]
        snap = Snapshot(facts, loaded.snapshot.now)
        report = Answer(snap.now, (), (diagnose(loaded.subject, snap, discover()),))
        told, doc = write_text(report, lang, 100, colour=False), write_json(report)
        assert not re.search(r"(?:kubectl|undo|销).*--all", told) and "secret/--all" not in told + doc
        before = write_json(Answer(snap.now, (), (diagnose(loaded.subject, loaded.snapshot, discover()),)))
        if re.search(r'"secret/[a-z]', before):
            shown += '"--all"' in told and "no_command" in doc
    assert shown


def test_nobody_is_told_to_create_what_cannot_be_called_so() -> None:
    told = 0
    for loaded in (
        c for c in load_all() if c.cause.id == "config.secret-missing" and c.case.expect == "proven"
    ):
        secrets = {
            ref.name
            for f in loaded.snapshot.facts
            for ref in find_refs(f)
            if ref.kind == "Secret" and ref.name
        }
        snap = Snapshot(
            [rename(f, dict.fromkeys(secrets, "x;id #")) for f in loaded.snapshot.facts], loaded.snapshot.now
        )
        for cause in diagnose(loaded.subject, snap, discover()).causes:
            for step in cause.finding.help if cause.id == loaded.cause.id else ():
                assert not step.says.en.startswith("create ") and not step.says.zh.startswith("创建"), (
                    step.says
                )
                told += 'no Secret can be called "x;id #"' in step.says.en
    assert told


@pytest.mark.parametrize("value", VALUES)
def test_no_helper_lets_a_value_be_an_option_or_hide(value: str) -> None:
    helpers = (
        *(
            given.container,
            given.uid,
            given.container_id,
            given.path,
            given.file,
            given.number,
            given.unit,
            given.host,
            given.image,
            given.key,
        ),
        *(
            given.taint,
            given.resource,
            given.group_version,
            given.api_path,
            given.field,
            given.plain,
            given.rbd,
            given.kind_of,
            given.user,
            given.role,
            given.release,
        ),
        *(
            lambda v, kind=kind: given.bare(kind, v)
            for kind in ("Pod", "Node", "Namespace", "ClusterRole", "PodDisruptionBudget")
        ),
        *(
            lambda v, kind=kind: given.obj(kind, v)
            for kind in ("pod", "pdb", "clusterrole", "user.user.openshift.io")
        ),
    )
    for helper in helpers:
        for word in helper(value).words:
            assert word and not word.startswith("-") and word.isprintable()
    assert all(word == "-n" or not word.startswith("-") for word in given.namespace(value).words)
