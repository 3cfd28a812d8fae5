"""No command of the product is composed from text: each is a literal template, with values only from the
helpers.
"""

from __future__ import annotations

import ast
import re

from tests.contract.templates import (
    INDIRECT,
    NotLiteralError,
    has_builder,
    in_module,
    list_modules,
    list_templates,
)
from unstuck.diagnosis.command import list_slots

MODULES = list_modules()
HELPERS = {"diagnosis/command.py", "diagnosis/given.py"}
OWN_PROGRAMS = (
    r"kubectl|unstuck|crictl|docker|ctr|systemctl|journalctl|umount|mount|kill|rm|mv|cat|curl|etcdctl|sh"
    r"|lsof|findmnt|chattr|sysctl"
)


def calls(nodes: tuple[ast.AST, ...]) -> list[ast.Call]:
    return [node for node in nodes if isinstance(node, ast.Call)]


def test_every_template_is_a_literal() -> None:
    wrong = []
    for name, tree, nodes in MODULES:
        if has_builder(nodes) and name not in INDIRECT | HELPERS:
            try:
                for line, template in in_module(tree, nodes):
                    list_slots(template)
                    assert template.strip(), (name, line)
            except (NotLiteralError, ValueError) as e:
                wrong.append(f"{name}: {e}")
    assert not wrong
    assert len(list_templates()) > 250


def test_every_question_of_a_fact_is_written_from_constants() -> None:
    """Its f-strings hold nothing but constants of the module."""
    seen = 0
    for name, _, nodes in MODULES:
        for node in nodes:
            if (
                isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == "ask"
                and node.value
            ):
                seen += 1
                names = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
                assert all(n.isupper() for n in names), f"{name}:{node.lineno}: {names}"
    assert seen > 80


def test_words_and_commands_are_made_by_the_helpers_alone() -> None:
    made = [
        f"{name}:{call.lineno}"
        for name, _, nodes in MODULES
        if name not in HELPERS
        for call in calls(nodes)
        if isinstance(call.func, ast.Name) and call.func.id in ("Words", "Command", "Unfit")
    ]
    assert not made


def test_nobody_else_quotes_for_a_shell() -> None:
    # Splitting a command, such as the environment's pager, quotes nothing.
    quoting = [
        name
        for name, _, nodes in MODULES
        if name != "diagnosis/command.py"
        for node in nodes
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "shlex"
            and node.attr != "split"
        )
        or (isinstance(node, ast.ImportFrom) and node.module == "shlex")
    ]
    assert not quoting


def test_no_step_has_an_argv_of_its_own() -> None:
    """mypy holds the types; this also where somebody says `Any`."""
    bare = [
        f"{name}:{word.value.lineno}"
        for name, _, nodes in MODULES
        for call in calls(nodes)
        if isinstance(call.func, ast.Name) and call.func.id == "Step"
        for word in call.keywords
        if word.arg in ("command", "undo")
        and isinstance(word.value, ast.Tuple | ast.List | ast.JoinedStr | ast.Constant | ast.BinOp)
    ]
    assert not bare


def test_a_command_within_a_sentence_is_a_command_too() -> None:
    """What stands in backquotes and begins with a program has no value in it but the line of a command."""
    wrong = []
    for name, _, nodes in MODULES:
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                parts = [p.value if isinstance(p, ast.Constant) else _shown(p) for p in node.values]
                quoted = re.findall(r"`([^`]*)`", "".join(str(p) for p in parts))
                wrong += [
                    f"{name}:{node.lineno}: {q!r}"
                    for q in quoted
                    if "\0" in q and re.match(rf"(?:{OWN_PROGRAMS})\b|\0", q)
                ]
    assert not wrong


def _shown(value: ast.expr) -> str:
    """ "\\0" for a value that anybody may have written."""
    inner = value.value if isinstance(value, ast.FormattedValue) else value
    own = (isinstance(inner, ast.Attribute) and inner.attr == "line") or (
        isinstance(inner, ast.Name) and inner.id == "listed"
    )
    return "" if own else "\0"


def test_no_command_writes_where_everybody_may_have_put_a_link() -> None:
    """A name in /tmp that is known beforehand can be somebody's link to another file by then."""
    wrong = [t for t in list_templates() if re.search(r"(?<![\w.-])/(?:var/tmp|tmp|dev/shm)(?![\w-])", t)]
    assert not wrong
