"""The reading of all kinds of pasted text: every known sentence in every frame, and no line lost between
formats.
"""

from scripts.accept.area import Area, Check

_PYTEST = ("scripts/in_venv.sh", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider")

AREA = Area(
    name="reports",
    title="Whatever three lines people bring, read",
    promises=(
        "A sentence that is known reads alike wherever it stands: the same operation, error and names, or "
        "fewer names, never another. "
        "A line that holds one always becomes a fact, whatever stands before and behind it."
    ),
    checks=(
        Check(
            "every sentence in every frame",
            (*_PYTEST, "tests/text/test_frames.py", "-k", "every_sentence or floor"),
        ),
        Check(
            "sentences cut at either end, by what is left of them",
            (*_PYTEST, "tests/text/test_frames.py", "-k", "cut_sentence"),
        ),
    ),
)
