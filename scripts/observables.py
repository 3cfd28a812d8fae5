"""Finds undeclared parts of observables: `python -m scripts.observables` lists them for all facts, each
with the file to edit.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module, util
from typing import Any, cast

from unstuck.collect.kube.observables import API_OBSERVABLES, ApiObservable
from unstuck.collect.kube.rights import parse_rights
from unstuck.collect.node.declaration import NodeObservable
from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.collect.redact.natures import natures_of, texts
from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Fact

NODE, API, NATURES, HERE = (
    "src/unstuck/collect/node/observables.py",
    "src/unstuck/collect/kube/observables.py",
    "src/unstuck/collect/redact/natures.py",
    "scripts/observables.py",
)
# Facts that are never asked for, with their makers.
MADE_ELSEWHERE: Mapping[str, str] = {
    "Alike": "a scan: collect/kube/scan/representatives.py",
    "Counted": "a scan: collect/kube/scan/survey.py",
    "Failure": "messages, wherever they stand: wording/",
    "ForbiddenRequests": "messages, wherever they stand: collect/text/cutting/sentences.py",
    "Hurried": "a scan: api/scanning.py",
    "KubeletEndpoints": "the agent, of the kubelet: collect/kubelet/facts.py",
    "NodeFact": "nobody: facts of a node are derived from it",
    "Pasted": "readers of texts: collect/text/pasted.py",
    "Refused": "whoever was asked",
    "ShownReason": "readers of texts: collect/text/beside/",
    "Stopped": "a scan: collect/kube/scan/survey.py",
    "Same": "readers of texts: collect/text/references/coreference.py",
    "ToldErrors": "readers of texts: collect/text/told_errors.py",
    "Touched": "a person who agreed to it: collect/node/touching.py",
    "Unread": "a scan: collect/kube/scan/representatives.py",
    "Unreached": "the access methods to a node: api/access_methods.py",
}


def find_missing(
    fact: type[Fact],
    node: Sequence[NodeObservable] = NODE_OBSERVABLES,
    api: Sequence[ApiObservable] = API_OBSERVABLES,
    elsewhere: Mapping[str, str] = MADE_ELSEWHERE,
) -> list[str]:
    """List the missing parts of one fact, one line each: `Foo: no rights: say … in FILE`."""
    return [f"{fact.__name__}: {line}" for line in _find_missing(fact, node, api, elsewhere)]


def _find_missing(
    fact: type[Fact],
    node: Sequence[NodeObservable],
    api: Sequence[ApiObservable],
    elsewhere: Mapping[str, str],
) -> Iterator[str]:
    if _is_undocumented(fact) or _is_undocumented(import_module(fact.__module__)):
        yield (
            "no docstring of it or its module: say what it is about and when it is whole, in "
            f"{_locate_file(fact.__module__)}"
        )
    if unsaid := sorted(set(texts(cast(Any, fact))) - set(natures_of(fact))):
        yield f"no nature of {', '.join(unsaid)}, so that redaction hides it: say it in {NATURES}"
    of_node, of_api = [o for o in node if o.fact is fact], [o for o in api if o.fact is fact]
    named = [HERE] if fact.__name__ in elsewhere else []
    places = [*(NODE for _ in of_node), *(API for _ in of_api), *named]
    if not places:
        yield (
            f"nobody answers it: declare it in {NODE} or {API}, or say in {HERE} who makes it "
            "(MADE_ELSEWHERE)"
        )
    elif len(places) > 1:
        yield f"declared more than once: in {' and in '.join(places)}"
    for told in of_node:
        yield from _check_node(told)
    for asked in of_api:
        yield from _check_api(asked)


def _check_node(observable: NodeObservable) -> Iterator[str]:
    fact = observable.fact
    if fact.cost == "api":
        place = _locate_file(fact.__module__)
        yield f'its cost is "api", and a node answers it: derive it from NodeFact in {place}'
    if not observable.readers:
        yield f"no reader: name one by what it is about (readers) in {NODE}"
    for kind, name in observable.readers.items():
        yield from _check_reader(
            fact, "unstuck.collect.node", name, ("NodeView",) if kind == "Node" else ("NodeView", "Ref"), NODE
        )
    if not observable.extent:
        yield f"nobody said of what a whole one has seen all (extent) in {NODE}"
    if observable.missing is None:
        yield f"no reason why there may be none: say it (missing) in {NODE}"
    if observable.script is None:
        yield (
            "nobody said what the shell script must have recorded for it (script; () where it does not "
            f"record it) in {NODE}"
        )
    if observable.tenants is None:
        yield f'nobody said to whom the agent may tell it (tenants: "all" or "owner") in {NODE}'


def _check_api(observable: ApiObservable) -> Iterator[str]:
    fact = observable.fact
    if fact.cost != "api":
        yield (
            f'its cost is "{fact.cost}", and the API server answers it: derive it from Fact in '
            f"{_locate_file(fact.__module__)}"
        )
    yield from _check_reader(
        fact, "unstuck.collect.kube.questions", observable.reader, ("Session", "Want"), API
    )
    if observable.rights is None:
        yield (
            "no rights: say what must be granted for it (rights; () where nothing but its subject is read) "
            f"in {API}"
        )
    for line in observable.rights or ():
        try:
            parse_rights(line)
        except (KeyError, ValueError) as e:
            yield f"{line!r} is no right ({e}): see the docstring in {API}"


def _check_reader(
    fact: type[Fact], package: str, name: str, takes: tuple[str, ...], declared_in: str
) -> Iterator[str]:
    module, _, function = name.partition(".")
    if not function or util.find_spec(f"{package}.{module}") is None:
        yield f"its reader {name!r} names no function of a module of {package}: in {declared_in}"
        return
    file = _locate_file(f"{package}.{module}")
    found = import_module(f"{package}.{module}")
    reader: Callable[..., Any] | None = getattr(found, function, None)
    if reader is None:
        yield f"no reader: write {function}() in {file}"
        return
    if _is_undocumented(reader) or _is_undocumented(found):
        yield f"no docstring of its reader {function}() or of the reader's module: in {file}"
    signature = inspect.signature(reader)
    given = tuple(str(p.annotation) for p in signature.parameters.values() if p.default is p.empty)
    if given != takes:
        yield f"its reader {function}() takes ({', '.join(given)}), not ({', '.join(takes)}): in {file}"
    returns = str(signature.return_annotation)
    if not {fact.__name__, "Fact"} & set(re.findall(r"\w+", returns)):
        yield f"its reader {function}() returns {returns}: in {file}"


def _is_undocumented(documented: object) -> bool:
    """Tell whether a docstring is missing, or still the scaffold's."""
    text = documented.__doc__ or ""
    return not text or text.startswith(("…", "Return …"))


def _locate_file(module: str) -> str:
    return f"src/{module.replace('.', '/')}.py"


def main() -> int:
    """Print the missing parts. Return 1 if there are any."""
    lines = [line for _, fact in sorted(find_fact_types().items()) for line in find_missing(fact)]
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return int(bool(lines))


if __name__ == "__main__":
    raise SystemExit(main())
