"""The help and the error messages of each command."""

from __future__ import annotations

import pytest

from unstuck.cli.run import run


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["why", "--nonsense"], "--nonsense"),
        (["wy"], "did you mean why?"),
        (["pod/x"], "unstuck why pod/x"),
        (["why", "pod"], "which Pod?"),
        (["why", "pod/a", "b"], "write either KIND/NAME KIND/NAME"),
        (["why", "pod/a", "-l", "app=x"], "exclude each other"),
        (["why", "pod/a", "-A"], "-A goes with a kind"),
        (["why", "-A", "-n", "x"], "exclude each other"),
        (["why", "pod/a", "pod/b", "--save", "x"], "--save takes one object"),
        (["why", "pods", "-l", "app=x", "--wait"], "--wait takes one object"),
        (["why", "pod/a", "--after", "soon"], "no duration"),
        (["why", "pod/a", "--here", "--no-node"], "exclude each other"),
        (["why", "pod/a"], "kubeconfig"),
        (["why", "@3", "-w", "-o", "json"], "-w is for a terminal"),
        (["why", "@3", "-w", "--wait"], "exclude each other"),
        (["why", "pod/a", "--config", "~nobody-has-this-name/x"], "no such file"),
        (["why", "pod/a", "-s", "https://a b/"], "no http or https address"),
        (["why", "pod/a", "-s", "https://ä/"], "no http or https address"),
        (["why", "pod/a", "-s", "https://a/ä"], "no http or https address"),
        (["why", "pod/a", "--request-timeout", "99999999999999999999h"], "no duration"),
        (["scan", "-A", "-n", "x"], "exclude each other"),
        (["scan", "-w", "--every", "0"], "above 0s"),
        (["scan", "--qps", "nan"], "--qps needs a number"),
        (["explain", "file.imutable"], "nearest: file.immutable"),
        (["explain", "crashlop"], "nearest: CrashLoopBackOff"),
        (["explain", "imagepulback"], "nearest: ImagePullBackOff"),
        (["replay", "/nonexistent/x"], "cannot read"),
        (["replay", "/dev/null"], "no Snapshot"),
        (["read", "/nonexistent/x"], "cannot read"),
        (["read", "/dev/null"], "could be read"),
        (["node"], "--here"),
        (["node", "--here", "--root", "/nonexistent"], "no kubelet"),
        (["demo", "no-such-record"], "no record"),
        (["completion", "tcsh"], "tcsh"),
        (["completion"], "Choose from: bash, zsh, fish; see"),
    ],
)
def test_what_cannot_be_asked_is_one_line_and_3(
    args: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", "/nonexistent")
    assert run(args, "unstuck") == 3
    out, err = capsys.readouterr()
    assert out == "" and said in err and len(err.splitlines()) == 1 and err.startswith("error: ")


@pytest.mark.parametrize(
    "command", ["why", "scan", "read", "node", "replay", "explain", "demo", "schema", "completion"]
)
def test_every_command_teaches(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"], "unstuck") == 0
    assert "unstuck " in capsys.readouterr().out.partition("\n\n")[2]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell], "unstuck") == 0
    assert "_UNSTUCK_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("oom",), "container.out-of-memory"),
        (("CrashLoopBackOff",), "container.exits-by-itself"),
        (("image",), "image.not-found"),
        (("immutable",), "file.immutable"),
        (("secret", "missing"), "config.secret-missing"),
    ],
)
def test_explain_finds_a_cause_by_words(
    words: tuple[str, ...], found: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", *words], "unstuck") == 0
    assert found in capsys.readouterr().out


def test_explain_of_a_family_lists_all_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    from unstuck.engine import list_causes

    assert run(["explain", "image"], "unstuck") == 0
    ids = {line.split()[0] for line in capsys.readouterr().out.splitlines()}
    assert ids == {cause.id for cause in list_causes() if cause.id.startswith("image.")}


def test_the_demo_begins_with_one_and_names_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"], "unstuck") == 0
    out = capsys.readouterr().out
    assert "file-immutable" in out and "unstuck demo NAME" in out and "  configmap-missing\n" in out
    assert len(out.splitlines()) < 80


def test_the_version_is_told_without_a_cluster(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nonexistent")
    assert run(["version"], "unstuck") == 0
    assert "no server reached: no kubeconfig" in capsys.readouterr().out
    assert run(["version", "-o", "json"], "unstuck") == 0
    assert '"server": null' in capsys.readouterr().out
    assert run(["version", "--client"], "unstuck") == 0
    assert "server" not in capsys.readouterr().out
