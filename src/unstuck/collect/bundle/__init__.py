"""Directories and archives of many outputs, streamed to facts; nothing is ever unpacked to a disk."""

from unstuck.collect.bundle.limits import BundleLimits
from unstuck.collect.bundle.read import BundleResult, read_bundle

__all__ = ["BundleLimits", "BundleResult", "read_bundle"]
