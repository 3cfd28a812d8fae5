"""The structure of the code: one library, one vocabulary, one path, and no losses since the last redesign."""

from __future__ import annotations

from scripts.accept.area import Area, Check

_PYTEST = ("scripts/in_venv.sh", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider")
# The last commit before the library was extracted from the command line.
_BEFORE = "6cf5d6d249fea3ab7ff6a0850bfde3aca08b7d0f"
_MOST = "1.05"


def _list_ratios(output: str) -> str:
    """List the rows of CPU time of both states, with their ratio: `scan: CPU 1.30 s before, 1.28 s now,
    ratio 0.985`.
    """
    rows = (line.split() for line in output.splitlines() if " s of CPU " in line)
    return "; ".join(
        f"{' '.join(row[:-8])}: CPU {row[-5]} s before, {row[-4]} s now, ratio {row[-3]}" for row in rows
    )


AREA = Area(
    name="house",
    title="One library, one vocabulary, one way through the house",
    promises=(
        "What the command line decides is a library's, each of its public names has an example that runs, "
        "words are typed, each rule sees "
        "facts alone; Snapshots of before are answered as before, and a scan of a large cluster takes no "
        "longer than before."
    ),
    checks=(
        Check(
            "the library: examples, public signatures, who imports what",
            (*_PYTEST, "tests/api", "tests/contract/test_library.py"),
        ),
        Check("types, layers and generated pages", ("make", "static")),
        Check(
            "words, names, facts and messages, each declared once",
            (
                *_PYTEST,
                *(
                    f"tests/contract/test_{name}.py"
                    for name in ("vocabulary", "names", "observables", "messages", "known_facts", "monotone")
                ),
            ),
        ),
        Check(
            "a cause and a fact made by the scaffolds",
            (*_PYTEST, "tests/contract/test_new_cause.py", "tests/contract/test_new_fact.py"),
        ),
        Check(
            "Snapshots of before, causes and confidence, both languages",
            (*_PYTEST, "tests/recorded", "tests/cli/test_replay.py"),
        ),
        Check("every sign of every rule is held by a case", ("make", "mutate")),
        Check(
            "verdicts on generated clusters, against kube-scheduler's own filters",
            ("make", "check-scheduler", "CASES=20000", "SEED={seed}"),
        ),
        Check("hostile bytes for every parser", (*_PYTEST, "tests/fuzz")),
        Check("what a start costs", ("scripts/in_venv.sh", "-m", "benchmarks.startup")),
        Check(
            (
                f"a scan of 150,000 Pods on 5,000 Nodes, in pairs with the state before: at most {_MOST} of "
                "its CPU time"
            ),
            (
                "bash",
                "-ec",
                f"git clone -q . build/before; git -C build/before checkout -q {_BEFORE}; "
                f"exec scripts/in_venv.sh -m benchmarks.scale --against build/before --most {_MOST}",
            ),
            counts=_list_ratios,
        ),
    ),
)
