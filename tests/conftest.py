"""How many examples a property test tries: few in the inner loop, hypothesis' own number in `make test`."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("quick", max_examples=15, deadline=None)
settings.register_profile("full", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))
