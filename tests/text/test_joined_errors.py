"""Several errors in one line or below several commands are each told; what was refused is not a Pod."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.text.support import NOW
from unstuck.collect.text.cutting.joined import split_joined
from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.kubelet import Certificates
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.space import DiskSpace

_LACKS = 'unable to recognize "": no matches for kind "{}" in version "{}"'
_AGGREGATE = (
    f"Error: unable to build: [{_LACKS.format('Tide', 'sea.io/v1')}, {_LACKS.format('Reef', 'sea.io/v2')}]"
)
_HELM = """$ helm install one https://charts.example.com/one
Error: file '/home/me/.cache/one' does not appear to be a gzipped archive; got 'text/html; charset=utf-8'
$ helm install two shop/two
Error: unable to recognize "": no matches for kind "Tide" in version "sea.io/v1"
"""
_RULE = (
    'level=error msg="Command execution failed" cmd="[iptables -w 5 -t mangle -A PRE -m comment --comment x '
    '-m {} -j MARK]" error="exit status 1"\n'
    'level=warning msg="iptables: No chain/target/match by that name."\n'
)
_DF = """Filesystem     Type    1K-blocks     Used Available Use% Mounted on
overlay        overlay  61202244 23181440  {:9} {}% /
"""


def _told(text: str) -> list[tuple[str, str]]:
    found = [f for f in read_text(text, "paste.txt", NOW).facts if isinstance(f, ToldErrors)]
    return [(i.complaint.error, i.complaint.name or i.complaint.resource) for f in found for i in f.items]


def test_each_of_a_list() -> None:
    assert len(split_joined(_AGGREGATE)) == 2
    assert split_joined("Error: [a, b]") == ["Error: [a, b]"]
    assert len(_told(_AGGREGATE)) == 2


def test_each_act_has_its_own() -> None:
    assert [error for error, _ in _told(_HELM)] == ["chart-refused", "api-not-served"]


def test_match_of_a_refused_rule() -> None:
    assert _told(_RULE.format("socket")) == [("packet-filter-incomplete", "socket")]
    # A match that every node has is not the missing part.
    assert _told(_RULE.format("conntrack")) == [("packet-filter-incomplete", "PRE")]


def test_pod_that_was_refused() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: tide\nspec:\n  containers:\n  - name: c\n    image: a\n"
    refusal = (
        'Error from server (Forbidden): error when creating "a.yaml": pods "tide" is forbidden: exceeded quota: '
        "q, requested: cpu=2, used: cpu=3, limited: cpu=4\n"
    )
    facts = read_text(f"$ cat a.yaml\n{pod}$ kubectl apply -f a.yaml\n{refusal}", "paste.txt", NOW).facts
    assert any(isinstance(f, Failure) for f in facts)
    assert not [f for f in facts if f.about.kind == "Pod" and not isinstance(f, Failure)]


def test_room_of_an_unnamed_machine_is_no_node() -> None:
    roomy = read_text("$ df -T\n" + _DF.format(34879480, 40), "paste.txt", NOW).facts
    full = read_text("$ df -T\n" + _DF.format(0, 100), "paste.txt", NOW).facts
    assert not [f for f in roomy if isinstance(f, DiskSpace)]
    assert [f for f in full if isinstance(f, DiskSpace)]


def test_dates_of_a_certificate() -> None:
    text = (
        "[root@node-1 pki]# cat kubelet-client-current.txt | grep Not\n"
        "            Not Before: Nov 19 06:57:00 2026 GMT\n            Not After : Nov 20 06:39:47 2026 GMT\n"
    )
    found = [f for f in read_text(text, "paste.txt", NOW).facts if isinstance(f, Certificates)]
    assert [(i.use, i.not_after) for f in found for i in f.items] == [
        ("client", datetime(2026, 11, 20, 6, 39, 47, tzinfo=UTC))
    ]
