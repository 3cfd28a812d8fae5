"""`why` about several objects, by a selector, and by a bare name, in kubectl's forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.closed import CLOSED
from tests.kube.small import Small, make_healthy_cluster, make_object, make_pod, make_pod_with_map, small
from unstuck.cli.run import run

Err = pytest.CaptureFixture[str]


def labelled(one: dict[str, Any], **labels: str) -> dict[str, Any]:
    one["metadata"]["labels"] = labels
    return one


BROKEN = [
    *make_healthy_cluster(),
    labelled(make_pod_with_map("web-1", "default"), app="web"),
    labelled(make_pod_with_map("web-2", "default"), app="web"),
    labelled(make_pod("web-3", "default"), app="web"),
    labelled(make_pod_with_map("db-0", "default", "db-conf"), app="db"),
]


def why(path: Path, *args: str, objects: list[dict[str, Any]] | None = None) -> int:
    with small(Small(objects or BROKEN), path) as (_, kubeconfig):
        return run(["why", *args, "--no-node", "--kubeconfig", str(kubeconfig)], "unstuck")


def subjects(out: str) -> list[str]:
    document = json.loads(out)
    assert list(CLOSED.iter_errors(document)) == []
    return [d["subject"]["name"] for d in document["diagnoses"]]


@pytest.mark.parametrize("words", [("pod/web-2", "pod/web-1", "pod/web-2"), ("pod", "web-2", "web-1")])
def test_each_that_was_named_is_answered_once_in_that_order(
    tmp_path: Path, capsys: Err, words: tuple[str, ...]
) -> None:
    assert why(tmp_path, *words, "-o", "json") == 1
    assert subjects(capsys.readouterr().out) == ["web-2", "web-1"]


def test_several_are_answered_as_each_of_them_alone(tmp_path: Path, capsys: Err) -> None:
    why(tmp_path, "pod", "web-1", "db-0", "-o", "json")
    together = json.loads(capsys.readouterr().out)["diagnoses"]
    alone = []
    for name in ("web-1", "db-0"):
        why(tmp_path, f"pod/{name}", "-o", "json")
        alone += json.loads(capsys.readouterr().out)["diagnoses"]
    assert [[(c["id"], c["confidence"]) for c in d["causes"]] for d in together] == [
        [(c["id"], c["confidence"]) for c in d["causes"]] for d in alone
    ]


def test_one_that_is_not_there_does_not_hide_the_others_and_is_no_good_end(
    tmp_path: Path, capsys: Err
) -> None:
    assert why(tmp_path, "pod", "web-1", "gone", "-o", "json") == 3
    out, err = capsys.readouterr()
    assert subjects(out) == ["web-1"] and "no Pod 'gone'" in err
    assert any("no Pod 'gone'" in one["en"] for one in json.loads(out)["left_out"])
    assert why(tmp_path, "pod", "gone", "lost") == 3
    out, err = capsys.readouterr()
    assert out == "" and "no Pod 'gone'" in err and "no Pod 'lost'" in err and len(err.splitlines()) == 1


def test_a_selector_takes_those_that_are_not_fine_and_says_how_many_match(
    tmp_path: Path, capsys: Err
) -> None:
    assert why(tmp_path, "-l", "app=web", "-o", "json") == 1
    out = capsys.readouterr().out
    assert sorted(subjects(out)) == ["web-1", "web-2"]
    assert [t["en"] for t in json.loads(out)["left_out"]] == ["3 match, 2 of them not fine"]


def test_where_all_that_match_are_fine_that_is_the_answer(tmp_path: Path, capsys: Err) -> None:
    assert (
        why(
            tmp_path,
            "pods",
            "-l",
            "app=web",
            "-A",
            objects=[*make_healthy_cluster(), labelled(make_pod("web-3", "default"), app="web")],
        )
        == 0
    )
    assert "web-3" in capsys.readouterr().out


def test_a_selector_that_takes_nothing_is_not_taken_for_fine(tmp_path: Path, capsys: Err) -> None:
    assert why(tmp_path, "pods", "-l", "app=typo") == 3
    assert "no pods in Namespace 'default' match 'app=typo'" in capsys.readouterr().err


def test_a_bare_name_is_the_pods_else_the_workloads(tmp_path: Path, capsys: Err) -> None:
    assert why(tmp_path, "web-1", "-o", "json") == 1
    assert subjects(capsys.readouterr().out) == ["web-1"]
    workloads = [
        make_object("Deployment", "web", "default", spec={"replicas": 0}, status={}),
        make_object("Service", "web", "default", spec={}),
    ]
    why(tmp_path, "web", "-o", "json", objects=[*BROKEN, *workloads])
    assert json.loads(capsys.readouterr().out)["diagnoses"][0]["subject"]["kind"] == "Deployment"


def test_a_name_of_several_workloads_is_said_with_what_to_type(tmp_path: Path, capsys: Err) -> None:
    both = [
        make_object(kind, "web", "default", spec={"replicas": 0}, status={})
        for kind in ("Deployment", "StatefulSet")
    ]
    assert why(tmp_path, "web", objects=[*BROKEN, *both]) == 3
    err = capsys.readouterr().err
    assert "deployment/web" in err and "statefulset/web" in err and len(err.splitlines()) == 1


def test_a_name_that_nothing_has_is_said_with_the_nearest(tmp_path: Path, capsys: Err) -> None:
    assert why(tmp_path, "web-11") == 3
    assert "nearest: web-1" in capsys.readouterr().err


def test_the_worst_of_all_namespaces(tmp_path: Path, capsys: Err) -> None:
    assert why(tmp_path, "-A", "-o", "json") == 1
    assert len(subjects(capsys.readouterr().out)) == 1


def test_the_servers_version(tmp_path: Path, capsys: Err) -> None:
    from tests.e2e.command import write_kubeconfig
    from tests.kube.server import serving

    with serving(lambda handler: handler.say(200, {"gitVersion": "v1.34.1"})) as server:
        assert (
            run(
                ["version", "-o", "json", "--kubeconfig", str(write_kubeconfig(tmp_path / "k", server.url))],
                "unstuck",
            )
            == 0
        )
    assert json.loads(capsys.readouterr().out)["server"] == {"version": "v1.34.1"}


def test_a_refused_token_is_in_no_word_of_it(tmp_path: Path, capsys: Err) -> None:
    from tests.kube.server import serving

    with serving(lambda handler: handler.say(401, {"kind": "Status", "message": "Unauthorized"})) as server:
        status = run(["why", "pod/x", "--server", server.url, "--token", "s3cr3t-t0k3n"], "unstuck")
        assert "Bearer s3cr3t-t0k3n" in {seen.headers["Authorization"] for seen in server.seen}
    out, err = capsys.readouterr()
    assert status == 3 and "refused the credentials" in err and "s3cr3t" not in out + err
