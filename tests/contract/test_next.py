"""Every undecided answer names few causes and one next command, the same in the record and in the JSON."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from html import unescape
from importlib.resources import files
from itertools import chain, combinations

import pytest
from scripts.cases import Case

from tests.contract.support import NOW, load_all
from unstuck.api.replaying import diagnose_again
from unstuck.api.saved_files import parse_saved
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.looking import looks
from unstuck.diagnosis.mentioned import Mentioned, names_in
from unstuck.engine import diagnose, discover
from unstuck.engine.leads import LEADS
from unstuck.engine.outputs import CLUSTER_ONLY, HELD_TOGETHER, find_read_outputs
from unstuck.facts.codec import Saved, find_fact_types
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.knowledge.commonness import REPORTS
from unstuck.render.html import write_html
from unstuck.render.json import make_document
from unstuck.render.markdown import write_markdown
from unstuck.render.text import write_text


@cache
def answers() -> tuple[tuple[str, Diagnosis], ...]:
    """Return the answers to every record of the demo and every case of a cause."""
    return tuple(_all())


def _all() -> Iterator[tuple[str, Diagnosis]]:
    for record in (files("unstuck") / "demo").iterdir():
        if record.name.endswith(".json.gz"):
            yield from (
                (record.name, d) for d in diagnose_again(parse_saved(record.read_bytes(), record.name))[0]
            )
    for loaded in load_all():
        yield loaded.name, loaded.diagnosis


def test_every_undecided_answer_has_one_command_and_at_most_one_instead_of_it() -> None:
    open_ = [(name, d) for name, d in answers() if d.state.name in ("stuck", "unknown") and not d.causes]
    assert len(open_) > 500
    assert [name for name, d in open_ if not 1 <= len(d.next) <= 2] == []
    assert [name for name, d in open_ if not all(n.command for n in d.next)] == []
    assert [name for name, d in open_ if len({n.at for n in d.next}) < len(d.next)] == [], (
        "the other one is another way"
    )


def test_what_a_paste_is_asked_for_is_what_a_reader_makes_of_it() -> None:
    read = {type(fact) for loaded in load_all() for fact in _read(loaded.case)}
    asked = {
        kind
        for kind in find_fact_types().values()
        if kind.cost == "api" and kind.ask.startswith(("kubectl get", "kubectl patch"))
    }
    assert {kind.__name__ for kind in asked - read} <= {kind.__name__ for kind in CLUSTER_ONLY}
    assert {kind.__name__ for kind in CLUSTER_ONLY & read} == set()
    assert {kind.__name__ for kind in HELD_TOGETHER - read} == set()


def _read(case: Case) -> Iterator[Fact]:
    for info, words in case.texts:
        language, _, name = info.partition(" ")
        if language != "facts":
            yield from read_text(words, name or language, case.now or NOW).facts


def test_what_is_decided_asks_for_nothing() -> None:
    proven = [
        (name, d)
        for name, d in answers()
        if any(t.confidence == "proven" and t.consequence_of is None for t in d.causes)
    ]
    assert proven and [name for name, d in proven if d.next] == []


WELL = ("fine", "progressing", "held")


def test_what_looks_well_asks_only_where_it_was_described() -> None:
    asking = [
        one
        for one in load_all()
        if one.diagnosis.state.name in WELL and one.diagnosis.next and not one.diagnosis.causes
    ]
    assert (
        asking
        and [one.name for one in asking if "describe" not in find_read_outputs(one.subject, one.snapshot)]
        == []
    )
    live = [d for name, d in answers() if name.endswith(".json.gz") and d.state.name in WELL and not d.causes]
    assert [d.subject for d in live if d.next] == []


def test_next_says_where_it_is_run_and_what_it_decides() -> None:
    for name, d in answers():
        named = {o.id for o in d.undecided} | {t.id for t in d.causes}
        for n in d.next:
            assert n.at in ("here", "paste") or n.at.removeprefix("node:"), name
            assert n.at.partition(":")[0] in ("here", "paste", "node"), name
            assert {*n.decides} <= named and 0 <= n.expected <= 1, name
            assert n.says.en and n.says.zh, name
            assert ("unstuck read" in n.command.line) == (n.at == "paste"), name


def test_leads_are_few_and_the_shortlist_is_made_of_them() -> None:
    for name, d in answers():
        assert len(d.leads) <= LEADS and {*d.leads} <= {o.id for o in d.undecided}, name
        assert sorted(i for place in d.shortlist.places for i in place.causes) == sorted(d.leads), name
        possible = [o.possible for i in d.leads for o in d.undecided if o.id == i]
        assert possible == sorted(possible, reverse=True), name


def test_of_what_something_speaks_for_no_lead_stands_without_a_question_where_another_has_one() -> None:
    for where, d in answers():
        spoken = [o for o in d.undecided if o.possible and o.id in d.leads]
        assert len({bool(o.questions) for o in spoken}) < 2, (where, spoken)


def test_the_document_says_the_same() -> None:
    for name, d in answers()[:: max(1, len(answers()) // 200)]:
        (told,) = make_document(Answer(NOW, (), (d,)))["diagnoses"]
        assert told["leads"] == [*d.leads], name
        assert [(n["command"], n["from"]) for n in told["next"]] == [
            ([*n.command.argv], n.at) for n in d.next
        ], name


def test_the_corpus_names_causes_that_exist_and_no_report_twice_for_one() -> None:
    assert {cause for cause, _, _ in REPORTS} <= {c.id for c in discover()}
    assert len({(cause, place) for cause, place, _ in REPORTS}) == len(REPORTS)


AT = datetime(2026, 11, 27, tzinfo=UTC)
DESCRIBED = """$ kubectl describe pod web-0 -n shop
Name:             web-0
Namespace:        shop
Priority:         0
Service Account:  default
Node:             lab-1/10.0.0.1
Start Time:       Thu, 26 Nov 2026 22:00:00 +0000
Labels:           app=web
Annotations:      <none>
Status:           Pending
IP:
IPs:              <none>
Controlled By:    StatefulSet/web
Containers:
  c:
    Container ID:
    Image:          nginx
    Image ID:
    Port:           <none>
    State:          Waiting
      Reason:       ContainerCreating
    Ready:          False
    Restart Count:  0
Conditions:
  Type              Status
  Initialized       True
  Ready             False
  PodScheduled      True
Volumes:            <none>
QoS Class:          BestEffort
Events:             <none>
"""
WRITTEN = """$ kubectl get pod web-0 -n shop -o yaml
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, uid: 00000000-0000-4000-8000-0000000000e1, creationTimestamp: "2026-11-26T22:00:00Z"}
spec: {nodeName: lab-1, containers: [{name: c, image: nginx}]}
status:
  phase: Pending
  startTime: "2026-11-26T22:00:00Z"
  containerStatuses: [{name: c, image: nginx, ready: false, restartCount: 0, state: {waiting: {reason: ContainerCreating}}}]
"""
EVENTS = """$ kubectl get events -n shop
LAST SEEN   TYPE      REASON        OBJECT      MESSAGE
2m          Warning   Strange       pod/web-0   zorb flux quux
"""
ROW = """$ kubectl get pods -n shop
NAME    READY   STATUS              RESTARTS   AGE
web-0   0/1     ContainerCreating   0          2d
"""
OUTPUTS = {
    "kubectl describe pod/web-0": DESCRIBED,
    "kubectl get pod/web-0 -n shop -o yaml": WRITTEN,
    "kubectl get events": EVENTS,
    "row": ROW,
}
SETS = [*chain.from_iterable(combinations(OUTPUTS, n) for n in range(1, len(OUTPUTS) + 1))]


@pytest.mark.parametrize(
    "read", SETS, ids=lambda read: "+".join(word.split()[1] if " " in word else word for word in read)
)
def test_no_output_is_asked_for_that_was_given(read: tuple[str, ...]) -> None:
    pasted = "\n".join(OUTPUTS[one] for one in read)
    snap = Snapshot(read_text(pasted, "paste.txt", AT).facts, AT, ("file:paste.txt",))
    found = diagnose(Ref("Pod", "shop", "web-0"), snap, discover())
    assert found.next and not found.causes
    assert [(one, n.command.line) for one in read for n in found.next if n.command.line.startswith(one)] == []
    assert all("paste.txt" in n.command.line for n in found.next if n.at == "paste"), (
        "what was given is named again"
    )


def test_of_one_row_no_cause_is_named_but_what_tells_most() -> None:
    snap = Snapshot(read_text(ROW, "paste.txt", AT).facts, AT, ("file:-",))
    found = diagnose(Ref("Pod", "shop", "web-0"), snap, discover())
    assert not found.leads
    assert found.next[0].command.line == "kubectl describe pod/web-0 -n shop | unstuck read -"
    assert found.next[1].command.line.startswith("unstuck why pod/web-0 -n shop")


@pytest.mark.parametrize(
    ("finalizer", "owner"),
    [
        ("controller.cattle.io/namespace-auth", "Rancher"),
        ("nobody.example.com/knows", "whose it is, nobody knows here"),
    ],
)
def test_a_finalizer_that_holds_something_is_named_with_its_owner(finalizer: str, owner: str) -> None:
    pasted = f"""apiVersion: v1
kind: Namespace
metadata:
  name: a11
  uid: 00000000-0000-4000-8000-0000000000e1
  creationTimestamp: "2026-11-26T22:00:00Z"
  deletionTimestamp: "2026-11-26T23:00:00Z"
  finalizers: [{finalizer}]
status: {{phase: Terminating}}
"""
    snap = Snapshot(read_text(pasted, "paste.yaml", AT).facts, AT, ("file:paste.yaml",))
    found = diagnose(Ref("Namespace", None, "a11"), snap, discover())
    shown = write_text(Answer(AT, (), (found,)), "en", 80, colour=False)
    assert finalizer in shown and owner in shown
    assert make_document(Answer(AT, (), (found,)))["diagnoses"][0]["held_by"][0]["finalizer"] == finalizer


SEVERAL = """$ kubectl get pods -n shop
NAME    READY   STATUS                       RESTARTS   AGE
web-0   0/1     ContainerCreating            0          2d
web-1   0/1     CreateContainerConfigError   0          2d
db-0    0/1     Pending                      0          2d
"""


@pytest.mark.parametrize("source", ["file:paste.txt", "live:https://10.0.0.1"])
def test_of_a_text_one_command_is_run_next_whatever_it_tells_of(source: str) -> None:
    facts = read_text(
        SEVERAL + "\nWarning  FailedScheduling  9s  default-scheduler  zorb flux quux\n", "paste.txt", AT
    ).facts
    found = diagnose_again(Saved(Snapshot(facts, AT, (source,)), None))[0]
    report = Answer(AT, (source,), tuple(found))
    told = make_document(report)
    asking = [d for d in told["diagnoses"] if d["next"]]
    assert len(asking) > 2 and not any(d["causes"] for d in asking)
    for lang, label in (("en", "NEXT"), ("zh", "下一步")):
        shown = write_text(report, lang, 120, colour=False)
        assert len(re.findall(rf"^ *{label} ", shown, re.M)) == (
            1 if source.startswith("file:") else len(asking)
        )
    if source.startswith("live:"):
        assert "asked_first" not in told
        return
    first = found[told["asked_first"]].next[0].command.line
    for page in (
        write_text(report, "en", 120, colour=False),
        write_markdown(report, "en", survey=False),
        unescape(write_html(report, "en", survey=False)),
    ):
        assert page.replace("\\", "").count(first) == 1


NAMED = [
    (
        "kubelet, lab-1",
        "mkdir /var/lib/docker/aufs/mnt/0a1b: no space left on device",
        "timeout 5 df -P /var/lib/docker/aufs/mnt",
    ),
    (
        "kubelet, lab-1",
        "unlinkat /var/run/netns/cni-0a1b: device or resource busy",
        "grep -lF -e /var/run/netns/cni-0a1b",
    ),
    (
        "kubelet, lab-1",
        "stat /var/lib/kubelet/seccomp/a.json: no such file or directory",
        "timeout 5 namei -l /var/lib/kubelet/seccomp/a.json",
    ),
]


@pytest.mark.parametrize(
    ("by", "words", "begins"), NAMED, ids=lambda word: word.split(":")[-1].strip().replace(" ", "-")[:20]
)
def test_what_an_error_names_is_looked_at_first_where_it_is(by: str, words: str, begins: str) -> None:
    pasted = f"""Events:
  Type     Reason                  Age   From            Message
  ----     ------                  ----  ----            -------
  Warning  FailedCreatePodSandBox  1m    {by}  Failed to create pod sandbox: rpc error: code = Unknown desc = {words}
"""
    snap = Snapshot(read_text(pasted, "paste.txt", AT).facts, AT, ("file:-",))
    found = [diagnose(subject, snap, discover()) for subject in snap.subjects("Pod")]
    assert found and all(
        d.causes or (d.next[0].command.line.startswith(begins) and d.next[0].at == "node:lab-1")
        for d in found
    )
    assert any(not d.causes for d in found)


HOSTILE = [
    "/a/b; reboot",
    "/a/$(reboot)",
    "/a/`id`",
    "/a/b|sh",
    "/var/lib/kubelet/../../etc/shadow",
    "/var/run/-rf",
    "/a/b\u202etxt",
]


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize(
    "error",
    ["no such file or directory", "device or resource busy", "no space left on device", "permission denied"],
)
def test_a_path_that_somebody_else_wrote_stays_one_word(path: str, error: str) -> None:
    for look in (*looks(names_in(f"open {path}: {error}")), *looks(Mentioned(error="EBUSY", path=path))):
        words = set(shlex.split(look.command.line))
        assert not words & {"reboot", "sh", "id"} and ".." not in look.command.line
        assert look.says.en and look.says.zh


def test_no_name_stands_in_a_command_that_the_facts_do_not_have() -> None:
    for name, d in answers():
        said = repr((d.subject, d.undecided, d.stages, d.state, d.causes, d.node, d.owner))
        for n in d.next:
            if n.command.argv[0] in ("kubectl", "unstuck") or n.at == "paste":
                continue
            named = re.findall(
                r"/var/lib/kubelet/pods/[0-9a-f-]{36}|pvc-[0-9a-f-]{36}|\b(?:\d{1,3}\.){3}\d{1,3}\b",
                n.command.line,
            )
            assert [one for one in named if one not in said and one.rpartition("/")[2] not in said] == [], (
                name
            )
