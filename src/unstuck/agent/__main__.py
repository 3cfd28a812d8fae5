"""`python3 -S -m unstuck.agent collector|reporter`: see the package."""

from __future__ import annotations

import sys


def main(argv: list[str]) -> int:
    """Run one of the containers; each loads only its own half."""
    if argv == ["collector"]:
        from unstuck.agent import collector

        collector.main()
    elif argv == ["reporter"]:
        from unstuck.agent import reporter

        reporter.main()
    sys.stderr.write("usage: python3 -m unstuck.agent collector|reporter\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
