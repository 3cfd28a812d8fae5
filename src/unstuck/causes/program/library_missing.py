"""The program ends because a library or module that it needs is missing

## How it happens

The dynamic loader or the language's own loader does not find what the program was built with: the image lacks the package, the program
was built on a system with a newer C library, the dependencies were not installed into the image, or a volume is mounted over them.

## How to tell

The run ended with an error, nobody ended it, and its last lines say what is not found: a shared library, a version of `GLIBC`, a module
(Python, Node.js, Ruby), a class (Java).

## Known limits

The image is not looked into: it stays likely.

## References

- ld.so(8); CPython importlib; Node.js modules (cjs/loader.js); OpenJDK launcher
"""

from __future__ import annotations

from unstuck.causes.program._plain import mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("library-missing",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = one.complaint.name
    means = Text(f"it finds no {name}", f"它找不到 {name}")
    notes = (Text(f"the image is {one.run.spec.image}", f"镜像为 {one.run.spec.image}"),) if one.run.spec else ()
    step = mend(
        Text(
            "install it into the image, or build the program for the image's own C library",
            "把它安装进镜像，或针对镜像自身的 C 库构建程序",
        )
    )
    return finding(pod, one, means, (step,), notes=notes)


CAUSE = Cause(
    id="program.library-missing",
    title=Text("the program ends because a library or module that it needs is missing", "程序因缺少所需的库或模块而退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
