"""The areas: one module each, which defines `AREA`; nothing else lists them."""

from __future__ import annotations

import importlib
import pkgutil

from scripts.accept.area import Area


def list_areas() -> list[Area]:
    """List the areas, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [importlib.import_module(f"{__name__}.{name}").AREA for name in names]
