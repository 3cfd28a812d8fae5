"""Modules imported by the first questions of several concurrent threads are complete for all of them."""

from __future__ import annotations

import subprocess
import sys

# One thread imports a package whose `__init__` imports one of its modules; another thread has begun to import
# that module and waits for the package. Python ends such a deadlock with an error.
SCRIPT = """
import _frozen_importlib, importlib.machinery, sys, threading, time

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name != "unstuck.collect.objects.placing":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        spec.loader.create_module = wait
        return spec

def wait(spec):
    until = time.monotonic() + 3
    while spec.name + ".pods" not in _frozen_importlib._module_locks and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.2)  # until the other waits, too

sys.meta_path.insert(0, Slow())
from unstuck.collect.kube.collector import _import_later

said = []

def ask(module, name):
    try:
        _import_later(module, name)(None, None)
    except AttributeError:  # of the session that is None: what it needs was imported
        said.append("asked")
    except BaseException as e:
        said.append(f"{type(e).__name__}: {e}")

first = threading.Thread(target=ask, args=("placing", "placing"))
first.start()
time.sleep(0.2)
second = threading.Thread(target=ask, args=("history", "history"))
second.start()
first.join()
second.join()
print(said)
"""


def test_two_threads_may_need_the_same_modules_in_another_order() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "['asked', 'asked']\n", done.stdout
