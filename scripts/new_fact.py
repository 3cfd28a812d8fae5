"""Writes the parts of a new fact: its record, its declaration, a reader, and a test that fails until the
reader is written.

Usage: `make new-fact NAME=OpenFiles ABOUT=Pod BY=node`. BY: `node`, `api` (asked of the API server), `object`
(contained in the object itself). Errors: exit 2 for an invalid or taken class name, for an unknown BY, and
for a kind without node facts.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from string import Template

from scripts.observables import API, NATURES, NODE

from unstuck.collect.objects.kinds import builtin
from unstuck.facts.codec import find_fact_types

ROOT = Path(__file__).resolve().parents[1]
MAKERS = {
    "node": "src/unstuck/collect/node",
    "api": "src/unstuck/collect/kube/questions",
    "object": "src/unstuck/collect/objects",
}
TESTS = {"node": "tests/node", "api": "tests/kube", "object": "tests/kube"}

RECORD = '''"""…: what these facts are about, in one line."""

from __future__ import annotations

$imports


@record(kw_only=True)
class $name($base):
    """…: what is observed. about: the $about. Whole where …

    items: …, each with its unit. Source: the page of the kernel or of Kubernetes that says so.
    """

    items: tuple[str, ...]
$ask'''

NODE_READER = '''"""…: where on the node it stands, and how it is read."""

from __future__ import annotations

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.$module import $name
from unstuck.facts.core import $core

_PATH = "/proc/sys/what/is/read"


def $module($parameters) -> $name | None:
    """Return …; None where it cannot be read."""
    text = view.root.text(_PATH)
    if text is None:
        return None
    items: tuple[str, ...] = ()  # …: what the text tells
    src = Source(f"{view.name} {_PATH}", text.strip())
    return $name(about=$subject, src=src, items=items, whole=view.sees_node)
'''

API_READER = '''"""…: what is asked for."""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, refused
from unstuck.collect.objects import doc
from unstuck.facts.aspects.$module import $name
from unstuck.facts.core import Fact, Want


def $module(session: Session, want: Want) -> list[Fact]:
    """Return …, or why it cannot be known."""
    found = session.listing(kind_named("ConfigMap"), want.about.within)
    if not found.read.reply.ok:
        return [refused(want, found.read)]
    items = tuple(doc.text(item, "…") for item in found.items)
    return [$name(about=want.about, src=found.read.src(", ".join(items)), items=items, whole=found.whole)]
'''

OBJECT_READER = '''"""…: which fields tell it, with the file of Kubernetes that declares them."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.facts.aspects.$module import $name
from unstuck.facts.core import Fact


def ${module}_facts(seen: SeenObject) -> Iterator[Fact]:
    """Yield $name; nothing where the spec was not shown."""
    spec = doc.section(seen.obj, "spec")
    if not spec:
        return
    items = doc.strings(spec, "items")
    yield $name(about=seen.ref, src=seen.src(", ".join(items)), items=items, whole=seen.observed)
'''

NODE_TEST = '''"""…: $name, read from a tree and refused where it is not there."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.node.tree import $tree
from unstuck.collect.node.answers import answer
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.$module import $name
from unstuck.facts.core import Fact, Ref, Refused, Want

ABOUT = $ref


def asked(root: Path) -> list[Fact]:
    view = NodeView(Root(str(root)), datetime(2026, 11, 21, tzinfo=UTC))
    return list(answer(view, [Want($name, ABOUT)]))


def test_it_is_read(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V2)
    tree.write("/proc/sys/what/is/read", "first\\n")
    (found,) = (f for f in asked(tmp_path) if isinstance(f, $name))
    assert (found.items, found.whole) == (("first",), True)


# A fact of processes: leave out `.node(V2)`, which has some, so that nothing is seen.
def test_where_it_is_not_there_that_is_said(tmp_path: Path) -> None:
    Tree(tmp_path).node(V2)
    assert [f.want for f in asked(tmp_path) if isinstance(f, Refused)] == ["$name"]
'''

API_TEST = '''"""…: $name, asked of a server that answers, and of one that refuses."""

from __future__ import annotations

from typing import Any

from tests.kube.cluster import cluster, listed, named
from unstuck.facts.aspects.$module import $name
from unstuck.facts.core import Fact, Ref, Refused, Want

PATH = "/api/v1/namespaces/shop/configmaps"


def asked(pages: dict[str, Any]) -> list[Fact]:
    with cluster(pages) as c:
        return list(c.collector.collect([Want($name, $ref)]))


def test_it_is_told() -> None:
    (found,) = (f for f in asked({PATH: listed(named("first", "shop"))}) if isinstance(f, $name))
    assert (found.items, found.whole) == (("first",), True)


def test_where_it_may_not_be_read_that_is_said() -> None:
    (found,) = (f for f in asked({}) if isinstance(f, Refused))
    assert (found.want, found.why) == ("$name", "denied")
'''

OBJECT_TEST = '''"""…: $name, as the object tells it."""

from __future__ import annotations

from unstuck.collect.objects import facts_of
from unstuck.facts.aspects.$module import $name


def test_it_is_told() -> None:
    metadata = {"name": "a", "namespace": "shop", "uid": "u"}
    named = {"apiVersion": "$version", "kind": "$about", "metadata": metadata}
    seen = {**named, "spec": {"items": ["first"]}, "status": {}}
    (found,) = (f for f in facts_of(seen, "/path") if isinstance(f, $name))
    assert found.items == ("first",)
'''

NODE_DECLARATION = """    NodeObservable(
        fact=$module.$name,
        readers={"$about": "$module.$module"},
        # extent=…, missing=…, script=…, tenants=…: see the docstring above.
        # Then move it to its place: cheap and certain ones first.
    ),
"""

API_DECLARATION = """    # rights=…: see the docstring above.
    ApiObservable($module.$name, $reader),
"""


ASK = "`ask`, the command by which a person sees it"
# Only Kubernetes' kinds have their own readers: custom kinds are read by the API conventions.
OF_ANY_KIND = """{about} is no kind of Kubernetes' own, and what such an object tells is read already, without
a fact of its own:
  `unstuck read --show-facts -o json -` with its YAML pasted prints it: status.phase and other words of its
  status (Reported), Conditions, what it names (References), Finalizers, Owners, Labels. They are about
  Ref("{about}.GROUP", NAMESPACE, NAME).
  A word of its status that is not read gets a row in collect/objects/reported.py, a reference one in
  collect/objects/references.py."""


def main(argv: list[str]) -> int:
    """Write the parts and list the remaining steps. Return 2 for an invalid request."""
    name, about, by = (*argv, "", "", "")[:3]
    if wrong := _find_mistake(name, about, by):
        sys.stderr.write(f"new-fact: {wrong}\n")
        return 2
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    new = {
        f"src/unstuck/facts/aspects/{module}.py": RECORD,
        f"{MAKERS[by]}/{module}.py": {"node": NODE_READER, "api": API_READER, "object": OBJECT_READER}[by],
        f"{TESTS[by]}/test_{module}.py": {"node": NODE_TEST, "api": API_TEST, "object": OBJECT_TEST}[by],
    }
    if taken := [file for file in new if (ROOT / file).exists()]:
        sys.stderr.write(f"new-fact: {taken[0]} exists already\n")
        return 2
    words = _list_words(name, module, about, by)
    for file, text in new.items():
        _write(file, Template(text).substitute(words))
    declared_in = NODE if by == "node" else API
    _declare(
        declared_in, Template(NODE_DECLARATION if by == "node" else API_DECLARATION).substitute(words), module
    )
    _say_nature(name, module)
    sys.stdout.write("".join(f"{file}\n" for file in [*new, declared_in, NATURES]))
    sys.stdout.write(_list_next_steps(name, module, about, by))
    return 0


def _find_mistake(name: str, about: str, by: str) -> str:
    """Return the mistake in the request, "" if it is valid."""
    if not re.fullmatch(r"([A-Z][a-z0-9]+)+", name):
        return f"{name!r} is no name of a fact; say NAME=OpenFiles"
    if name in find_fact_types():
        return f"{name} is a fact already: {find_fact_types()[name].__module__}"
    if by not in MAKERS:
        return f"BY={by!r}: say node, api or object"
    if not re.fullmatch(r"[A-Z][A-Za-z]+", about):
        return f"ABOUT={about!r}: say a kind, as ABOUT=Pod"
    return OF_ANY_KIND.format(about=about) if by == "object" and builtin(about) is None else ""


def _list_words(name: str, module: str, about: str, by: str) -> dict[str, str]:
    node = by == "node"
    lines = [
        "from unstuck.facts.aspects.host import NodeFact" if node else "from unstuck.facts.core import Fact"
    ]
    # The command inherited by every node fact is about a Pod.
    ask = "" if node and about == "Pod" else f'    ask: ClassVar[str] = "{_find_manual_command(by)}"\n'
    typing = ["from typing import ClassVar", ""] if ask else []
    of_node = node and about == "Node"
    kind = builtin(about)
    named = {"Pod": 'Ref("Pod", "shop", "web-7c64f997dc-qzsbx", UID)', "Node": 'Ref("Node", None, "node-1")'}
    other = f'Ref("{about}", "node-1", "/a")' if node else f'Ref("{about}", "shop", "a")'
    return {
        "name": name,
        "module": module,
        "about": about,
        "base": "NodeFact" if node else "Fact",
        "ask": ask,
        "imports": "\n".join([*typing, *lines, "from unstuck.facts.record import record"]),
        "core": "Source" if of_node else "Ref, Source",
        "parameters": "view: NodeView" if of_node else "view: NodeView, about: Ref",
        "subject": "view.ref" if of_node else "about",
        "tree": "UID, V2, Tree" if node and about == "Pod" else "V2, Tree",
        "ref": named.get(about, other) if node else other,
        "version": (f"{kind.group}/{kind.version}" if kind.group else kind.version) if kind else "v1",
        "reader": "_ITSELF" if by == "object" else f'"{module}.{module}"',
    }


def _find_manual_command(by: str) -> str:
    """Return the command for showing the data of the scaffold's reader."""
    return {"node": "cat /proc/sys/what/is/read", "api": "kubectl get configmap {space} -o yaml"}.get(
        by, "kubectl get {object} {space} -o yaml"
    )


def _write(file: str, text: str) -> None:
    (ROOT / file).write_text(text, "utf-8")


def _declare(file: str, declaration: str, module: str) -> None:
    """Append the declaration to the file's table, and add the import of its fact."""
    text = (ROOT / file).read_text("utf-8")
    end = text.rindex("\n)\n") + 1
    text = text[:end] + declaration + text[end:]
    line = f"from unstuck.facts.aspects import {module}\n"
    _write(file, text.replace("from unstuck.facts", f"{line}from unstuck.facts", 1))
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--select", "I", "--fix", str(ROOT / file)], check=True)
    subprocess.run([*ruff, "format", "--quiet", str(ROOT / file)], check=True)


def _say_nature(name: str, module: str) -> None:
    """Declare the record's text as free text, the most strictly redacted nature, in the order of the
    modules.
    """
    text = (ROOT / NATURES).read_text("utf-8")
    sections = re.findall(r"^    # (\w+)$", text, re.M)
    after = next((s for s in sections if s > module or s == "core"), "core")
    _write(
        NATURES,
        text.replace(f"    # {after}\n", f'    # {module}\n    "{name}": "text: items",\n    # {after}\n', 1),
    )


def _list_next_steps(name: str, module: str, about: str, by: str) -> str:
    readers = "`yield from` in its reader, or a row of _READERS in src/unstuck/collect/objects/__init__.py"
    steps = [
        (
            f"the record's fields and its docstring; in {NATURES} the nature of each that holds text, "
            f"without the row where none does; {ASK}"
        ),
        (
            "what its declaration still lacks: "
            f"{'extent, missing, script, tenants, its place in the order' if by == 'node' else 'rights'}"
        ),
        *([f"have {module}_facts called for each {about}: {readers}"] if by == "object" else []),
        f"the reader, until .venv/bin/pytest -q {TESTS[by]}/test_{module}.py is green",
        (
            f"make docs format; .venv/bin/pytest -q tests/contract/test_observables.py -k {name} names what "
            "is missing; then make check"
        ),
    ]
    return "now:\n" + "".join(f"  {n}. {step}\n" for n, step in enumerate(steps, 1))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
