"""`python -m tests.fuzz [TARGET [SECONDS [SEED]]]`: mutates real texts until the time is over.

Prints the input of the first failure, and each input that took longer than a second.
"""

from __future__ import annotations

import sys
import time

from tests.fuzz.targets import TARGETS, list_corpus, list_mutations

SLOW = 1.0


def main(target: str = "paste", seconds: str = "60", seed: str = "1") -> int:
    """Run the targets; return 1 at the first exception."""
    run, ends, count = TARGETS[target], time.monotonic() + float(seconds), 0
    for data in list_mutations(int(seed), list_corpus()):
        if time.monotonic() > ends:
            break
        began = time.monotonic()
        try:
            run(data)
        except Exception as e:
            sys.stderr.write(f"{target}: {type(e).__name__}: {e}\n{data!r}\n")
            return 1
        count += 1
        if (took := time.monotonic() - began) > SLOW:
            sys.stderr.write(f"{target}: {took:.1f} s\n{data!r}\n")
    sys.stdout.write(f"{target}: {count} inputs\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
