"""A command has the words of its template for any values, and is printed as exactly these."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from unstuck.diagnosis import given
from unstuck.diagnosis.asking import ask_by_ssh, ask_on_node, ask_why
from unstuck.diagnosis.command import Command, Words, command, list_slots
from unstuck.engine.manual_commands import SLOTS
from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Ref

ODD = ("--all", "-A", "x;id", "$(id)", "`id`", "a\nb", "'", '"', "a b", "../x", "\u202ex", "x" * 300, "")


def test_words_and_the_line_that_a_shell_reads_as_them() -> None:
    told = command(
        "kubectl delete {pod} {space} -o jsonpath={.a}",
        pod=given.of(Ref("Pod", "f", "web-0")),
        space=given.namespace("f"),
    )
    assert told.argv == ("kubectl", "delete", "pod/web-0", "-n", "f", "-o", "jsonpath={.a}")
    assert tuple(shlex.split(told.line)) == told.argv


@pytest.mark.parametrize("value", [v for v in ODD if "\u202e" not in v])
def test_a_value_is_one_word_in_a_pipe_too(value: str) -> None:
    told = command("printf %s.%s {value} --x={value} | cat; printf /", value=Words((value,)))
    for run in (["sh", "-c", told.line], [*told.argv]):
        assert (
            subprocess.run(run, capture_output=True, text=True, check=True).stdout == f"{value}.--x={value}/"
        )
    assert told.argv[:2] == ("sh", "-c") and told.argv[3:] == ("sh", value, f"--x={value}")


@pytest.mark.parametrize("name", ODD)
def test_no_object_has_such_a_name_so_there_is_no_command_but_the_name_is_shown(name: str) -> None:
    told = ask_why(Ref("Pod", "f", name))
    if name == "":
        return
    assert not told and not told.line
    assert ask_why(Ref("Pod", name, "p")).why_none and ask_by_ssh(Ref("Pod", "f", "p"), name).why_none
    (text,) = told.why_none
    assert (
        text.en.startswith("no command: ")
        and "the name of any Pod" in text.en
        and text.zh.startswith("未给出命令")
    )


@pytest.mark.parametrize(
    "kind",
    [
        "ClusterRole",
        "RoleBinding",
        "PodDisruptionBudget",
        "CertificateSigningRequest",
        "User.user.openshift.io",
    ],
)
def test_an_object_that_may_have_such_a_name_is_asked_about_in_one_quoted_word(kind: str) -> None:
    for name in ("--all", "x;id", "$(id)", "a b", "system:node"):
        assert ask_why(Ref(kind, None, name)).argv == ("unstuck", "why", f"{kind.lower()}/{name}")
        assert shlex.split(ask_why(Ref(kind, None, name)).line)[2] == f"{kind.lower()}/{name}"
    for name in (".", "..", "a/b", "a%b", "a\nb", "\u202ea"):
        assert not ask_why(Ref(kind, None, name))


def test_a_kind_that_is_none_gives_no_command() -> None:
    assert (
        not ask_why(Ref("--all", None, "x"))
        and not ask_why(Ref("$(id)", None, "x"))
        and ask_why(Ref("Widget.example.com", None, "x"))
    )


def test_a_node_is_the_value_of_its_option() -> None:
    assert ask_by_ssh(Ref("Pod", "f", "p"), "lab-1").line == "unstuck why pod/p -n f --ssh=lab-1"
    assert ask_on_node(Ref("Pod", "f", "p", "0" * 32)).line == f"unstuck node --here --pod={'0' * 32}"
    assert ask_on_node(Ref("Node", None, "lab-1")).line == "unstuck node --here"


@pytest.mark.parametrize("value", ["x;id", "$(id)", "", "-1"])
def test_what_is_no_number_no_uid_no_host_gives_no_command(value: str) -> None:
    for helper in (
        given.number,
        given.uid,
        given.host,
        given.unit,
        given.image,
        given.path,
        given.container_id,
        given.plain,
    ):
        assert helper(value).unfit, helper


def test_a_path_is_absolute_and_leads_nowhere_else() -> None:
    assert command("umount {path}", path=given.path("/a b/c")).line == "umount '/a b/c'"
    for path in ("relative", "/a/../../etc", "/a\nb", "/\u202e", "-t", "/" + "x" * 5000):
        assert not command("umount {path}", path=given.path(path))


def test_a_slot_stands_once_for_each_word_of_its_value() -> None:
    pids = given.numbers((1, 23))
    assert command("cat /proc/{pids}/stack", pids=pids).line == "cat /proc/1/stack /proc/23/stack"
    assert command("kubectl logs --container={name}", name=given.container(None)).line == "kubectl logs"


@pytest.mark.parametrize(
    "template", ["cat /proc/{pid}/*", "echo $({pid})", 'echo "$x {pid}"', "sh -c 'kill {pid}'", "echo 'a"]
)
def test_a_template_that_would_have_the_shell_read_a_value_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match=r"shell|script"):
        command(template, pid=given.number(1))


def test_every_question_that_a_fact_has_is_such_a_template() -> None:
    asked = [kind.ask for kind in find_fact_types().values() if kind.ask]
    assert len(asked) > 60
    assert not frozenset().union(*(list_slots(template) for template in asked)) - SLOTS.keys()


def test_no_value_no_command() -> None:
    assert not Command() and Command().line == "" and Command().why_none == ()
