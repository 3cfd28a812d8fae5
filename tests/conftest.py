"""How many examples a property test tries: few in the inner loop, hypothesis' own number in `make test`."""

from __future__ import annotations

import gc
import os

from hypothesis import settings

# Thousands of tests stay in memory for a whole run: looking through them for garbage as often as usual takes a sixth of the time.
gc.set_threshold(100_000, 20, 20)

settings.register_profile("quick", max_examples=15, deadline=None)
settings.register_profile("full", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))
