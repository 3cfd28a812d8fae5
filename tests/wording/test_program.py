"""The last words of programs: every pattern's own examples, the deciding line, and texts without a claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.facts.aspects.pod import Complaint
from unstuck.wording.pattern import Example
from unstuck.wording.program import waiting
from unstuck.wording.program.pattern import LastWord
from unstuck.wording.program.read import OF_CALLERS, WORDS, find_complaint, read_complaint

PATTERNS = (*WORDS, *waiting.WORDS)
EXAMPLES = [(w, e) for w in PATTERNS for e in w.examples]
FIELDS = ("at", "group", "name", "namespace", "path", "place", "port", "reason", "resource", "verb")


def shown(told: Complaint | None) -> str:
    if told is None:
        return ""
    return " ".join([told.error, *(f"{f}={value}" for f in FIELDS if (value := getattr(told, f)))])


@pytest.mark.parametrize(("word", "example"), EXAMPLES, ids=[e.text[:60] for _, e in EXAMPLES])
def test_an_example_reads_as_it_says(word: LastWord, example: Example) -> None:
    of_callers = word.error in OF_CALLERS
    assert (
        shown(read_complaint(example.text) if of_callers else find_complaint([example.text])) == example.gives
    )
    assert not (of_callers and find_complaint([example.text])), "no program ends with what one caller did"
    assert word.regex.search(example.text), "it is an example of this pattern"


@pytest.mark.parametrize("word", PATTERNS, ids=[w.regex.pattern[:50] for w in PATTERNS])
def test_a_pattern_has_two_examples_a_place_and_a_prefilter_that_holds(word: LastWord) -> None:
    assert len(word.examples) >= 2
    assert all(s.component and s.versions and s.upstream for s in word.seen)
    assert word.seen
    for example in word.examples:
        assert any(n in example.text for n in word.need), example.text


GO = [
    "starting",
    "panic: dial tcp 10.0.0.9:5432: connect: connection refused",
    "",
    "goroutine 1 [running]:",
    "main.main()",
    "\t/app/main.go:12 +0x1d",
    "exit status 2",
]
JAVA = [
    "Exception in thread \"main\" org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'db'",
    "\tat org.springframework.beans.factory.support.AbstractBeanFactory.getBean(AbstractBeanFactory.java:205)",
    "\tat com.acme.Main.main(Main.java:12)",
    "Caused by: java.net.UnknownHostException: orders-db",
    "\tat java.base/java.net.InetAddress.getAllByName(InetAddress.java:1543)",
    "\t... 23 more",
]
NODE = [
    "node:internal/process/promises:288",
    "            triggerUncaughtException(err, true /* fromPromise */);",
    "Error: connect ECONNREFUSED 10.0.0.1:5432",
    "    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1595:16) {",
    "  code: 'ECONNREFUSED',",
    "  port: 5432",
    "}",
    "",
    "Node.js v20.11.0",
    "npm ERR! code 1",
]
PYTHON = [
    "Traceback (most recent call last):",
    '  File "/usr/lib/python3.12/runpy.py", line 196, in _run_module_as_main',
    '  File "/app/main.py", line 9, in <module>',
    "    int(x)",
    "ValueError: invalid literal for int() with base 10: 'x'",
]
RUST = [
    "thread 'main' panicked at src/main.rs:42:10:",
    'called `Result::unwrap()` on an `Err` value: Os { code: 2, kind: NotFound, message: "No such file or directory" }',
    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
]
DOTNET = [
    "Unhandled exception. System.IO.FileNotFoundException: Could not find file '/app/appsettings.json'.",
    "   at Acme.Program.Main(String[] args) in /src/Program.cs:line 12",
]
RUBY = [
    '/usr/lib/ruby/net/protocol.rb:46:in `connect\': Connection refused - connect(2) for "redis" port 6379 (Errno::ECONNREFUSED)'
]
PHP = ["PHP Fatal error:  Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused in /app/db.php:7"]


@pytest.mark.parametrize(
    ("lines", "gives"),
    [
        (GO, "connection-refused name=10.0.0.9 port=5432"),
        (JAVA, "name-unresolved name=orders-db"),
        (NODE, "connection-refused name=10.0.0.1 port=5432"),
        (PYTHON, "value-malformed name=x resource=int"),
        (RUST, "file-missing"),
        (DOTNET, "file-missing path=/app/appsettings.json"),
        (RUBY, "connection-refused name=redis port=6379"),
        (PHP, "connection-refused"),
        (
            ["\x1b[31mERROR\x1b[0m open /etc/app.yaml: no such file or directory"],
            "file-missing path=/etc/app.yaml",
        ),
        (
            ['{"level":"fatal","msg":"open \\"/etc/app.yaml\\": permission denied"}'],
            "permission-denied path=/etc/app.yaml",
        ),
        # An attempt repeated until the program gives up.
        (
            ["WARN dial tcp 10.0.0.9:80: i/o timeout", "WARN dial tcp 10.0.0.9:80: i/o timeout", "giving up"],
            "connection-timed-out name=10.0.0.9 port=80",
        ),
    ],
)
def test_the_line_that_decides(lines: list[str], gives: str) -> None:
    assert shown(find_complaint(lines)) == gives


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["schema is older than 7"],
        ["no database"],
        ["the cache is cold"],
        ["dial tcp: lookup db: no such host", "connected to db:5432", "migration 12 is broken"],
        ["WARN dial tcp 10.0.0.9:80: i/o timeout", "using the cache", "schema is older than 7"],
        ["open /etc/x: permission denied", *[f"step {n} of 9 done" for n in range(9)]],
        ["exec /app/server: exec format error"],
        ["2 errors, 0 warnings", "finished: 12 tables, 3 missing rows"],
        ["all required settings are set: DATABASE_URL, REDIS_HOST"],
        ["ls: /docker-entrypoint-initdb.d: No such file or directory", "FATAL: schema 7"],
        ["ERROR: table ORDERS_2024 not found"],
        ["index IDX_NAME is missing"],
        ["GET /missing/file 200", "serving /no/such/path"],
    ],
)
def test_what_says_nothing_of_why_it_ended(lines: list[str]) -> None:
    assert find_complaint(lines) is None


@given(
    st.lists(
        st.text(alphabet=st.sampled_from("ab/:.'\" (1A_-no") | st.characters(), max_size=300), max_size=25
    )
)
def test_any_lines_are_read(lines: list[str]) -> None:
    told = find_complaint(lines)
    assert told is None or told.line
