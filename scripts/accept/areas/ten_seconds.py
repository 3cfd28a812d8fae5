"""The comprehension of an answer within ten seconds: its length, its next command, and equal content in every
format.
"""

from scripts.accept.area import Area, Check

_PYTEST = ("scripts/in_venv.sh", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider")

AREA = Area(
    name="ten-seconds",
    title="Understood in ten seconds, in every form, in both languages",
    promises=(
        "No answer about one object is longer than a screen, at most five leads are named, and what is "
        "undecided has one command to run "
        "next that decides; a cause that is told keeps its evidence, risk, undo and what not to do; every "
        "format says the same, and a scan "
        "says of each object what `why` says."
    ),
    checks=(
        Check(
            "lengths, leads and a next command over real reports, at 80 columns",
            ("scripts/in_venv.sh", "-m", "benchmarks.answers_over_reports"),
        ),
        Check(
            "leads and next commands of real reports, by kind",
            ("scripts/in_venv.sh", "-m", "benchmarks.next_on_reports"),
        ),
        Check(
            (
                "what a cause keeps on a screen, what is folded is counted; six situations at 60, 80 and "
                "160 columns, both languages"
            ),
            (
                *_PYTEST,
                "tests/render/test_selection.py",
                "tests/render/test_layout.py",
                "tests/render/test_scan_layout.py",
            ),
        ),
        Check(
            "the next command, run as it is printed, over the faults of the lab",
            ("scripts/on_lab.sh", "python", "-m", "benchmarks.next_on_lab"),
        ),
        Check(
            "every format says the same, of each step and each member",
            (*_PYTEST, "tests/contract/test_formats.py"),
        ),
        Check(
            "leads, the next command and the line of stages, over all cases",
            (*_PYTEST, "tests/contract/test_next.py", "tests/contract/test_lines.py"),
        ),
        Check(
            "forbidden words, and the terms of both languages",
            (*_PYTEST, "tests/contract/test_terms.py", "tests/contract/test_texts.py"),
        ),
        Check(
            "what a scan says and what why says, on a real cluster",
            ("scripts/repeat.sh", "1", "tests/e2e/test_scan_and_why.py"),
        ),
        Check(
            "why, about every object of a scan of a lab full of faults",
            ("scripts/on_lab.sh", "python", "-m", "benchmarks.scan_on_lab"),
        ),
        Check(
            "pages in a browser: light and dark, both languages, a phone and a screen",
            (*_PYTEST, "tests/render/test_browser.py"),
            needs=("chromium",),
        ),
    ),
)
