"""Only the heap size is kept of a command line and an environment."""

from __future__ import annotations

from typing import Any

import pytest

from unstuck.collect.objects.heap import heap_of


@pytest.mark.parametrize(
    ("row", "heap"),
    [
        ({"command": ["java", "-Xmx2g", "-Dpassword=s3cret", "-jar", "a.jar"]}, (("-Xmx2g", 2 << 30),)),
        ({"args": ["-XX:MaxHeapSize=512M"]}, (("-XX:MaxHeapSize=512M", 512 << 20),)),
        (
            {"env": [{"name": "JAVA_TOOL_OPTIONS", "value": "-Ddb.password=s3cret -Xmx1024m"}]},
            (("-Xmx1024m", 1 << 30),),
        ),
        (
            {"env": [{"name": "NODE_OPTIONS", "value": "--max-old-space-size=4096"}]},
            (("--max-old-space-size=4096", 4 << 30),),
        ),
        ({"env": [{"name": "GOMEMLIMIT", "value": "750MiB"}]}, (("GOMEMLIMIT=750MiB", 750 << 20),)),
        ({"env": [{"name": "PASSWORD", "value": "-Xmx2g"}]}, ()),
        ({"env": [{"name": "GOMEMLIMIT", "value": "off"}], "command": ["app", "--Xmx2gb", "-Xmx"]}, ()),
        ({"command": "java", "env": [{"name": "GOMEMLIMIT", "valueFrom": {}}, None]}, ()),
    ],
)
def test_the_size_of_the_heap_alone_is_kept(row: dict[str, Any], heap: tuple[tuple[str, int], ...]) -> None:
    assert heap_of(row) == heap
