"""The program ends because its own runtime gives it no more memory

## How it happens

The runtime of the language has its own limit (Java's heap, by default a quarter of the container's limit;
Node.js' heap; PHP's memory_limit), the program needs more, and the runtime ends it. Or the kernel refuses an
allocation to the whole process.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `OutOfMemoryError`,
`JavaScript heap out of memory`, `Allowed memory size … exhausted`, `std::bad_alloc` or the like.

## Known limits

Whether the program leaks or needs that much is not known: it stays likely. A kill by the kernel is
container.out-of-memory.

## References

- OpenJDK memory/universe.cpp; V8 api.cc; PHP zend_alloc.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_BY_THE_KERNEL = regex(r"[Cc]annot allocate memory|ENOMEM")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("memory-exhausted",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    limit = dict(one.run.spec.limits).get("memory") if one.run.spec else None
    notes = (say("the container's own limit is {limit}", limit=limit),) if limit else ()
    if _BY_THE_KERNEL.search(one.complaint.line):
        return make_finding(pod, one, say("the kernel refuses it memory"), _list_limits(), notes=notes)
    means = say("its language runtime is out of memory")
    step = mend(
        say(
            "raise the runtime's own limit (-XX:MaxRAMPercentage, --max-old-space-size, memory_limit), and"
            " the container's limit with it"
        )
    )
    return make_finding(pod, one, means, (step,), notes=notes)


def _list_limits() -> tuple[Step, ...]:
    return (
        mend(
            say(
                "if it locks memory or loads BPF maps: raise its limit of locked memory (RLIMIT_MEMLOCK, or "
                "the capabilities IPC_LOCK and SYS_RESOURCE)"
            )
        ),
        mend(
            say(
                "otherwise see how much memory the node has free, and vm.overcommit_memory and "
                "vm.max_map_count there"
            )
        ),
    )


CAUSE = Cause(
    id="program.runtime-out-of-memory",
    title=say("the program ends because its language runtime is out of memory"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
