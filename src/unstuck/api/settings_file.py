"""Finds and loads `unstuck.yaml`; never implicitly from the working directory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from unstuck.errors import InputError
from unstuck.facts.text import Messages

if TYPE_CHECKING:
    from unstuck.api.settings import Settings

say = Messages(__name__)


def find_settings_path(given: str | None, env: Mapping[str, str]) -> Path | None:
    """Return the settings file in force: `given` (`--config`), else `UNSTUCK_CONFIG`, else the user's own;
    None if there is none.

    Errors: InputError if the given file does not exist.
    """
    if given:
        path = _expand(given)
        if not _exists(path):
            raise InputError(say("cannot read {given}: no such file", given=given))
        return path
    if named := env.get("UNSTUCK_CONFIG"):
        return _expand(named)
    # As in the XDG Base Directory Specification: a relative path is to be ignored.
    base = env.get("XDG_CONFIG_HOME", "")
    home = env.get("HOME", "")
    folder = Path(base) if base.startswith("/") else Path(home) / ".config" if home.startswith("/") else None
    own = folder / "unstuck" / "unstuck.yaml" if folder else None
    return own if own is not None and _exists(own) else None


def _expand(word: str) -> Path:
    """Expand `~` as a shell does; an unknown user stays as typed."""
    try:
        return Path(word).expanduser()
    except RuntimeError:
        return Path(word)


def _exists(path: Path) -> bool:
    """Tell whether the file exists, as far as this user may see."""
    try:
        return path.is_file()
    except OSError:
        return False


def load_settings(path: Path) -> Settings:
    """Read the file. Never raises: errors are in `notes`, and then none of its entries apply."""
    # Imports YAML, which few commands need.
    from unstuck.api.settings import LARGEST, SettingsError, make_failed_settings, parse_settings

    name = str(path)
    try:
        if not path.is_file():
            raise SettingsError(say("no such file"))
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise SettingsError(say("is larger than 1 MiB"))
        return parse_settings(data.decode(), name, datetime.now(UTC).date())
    except SettingsError as e:
        return make_failed_settings(name, e)
    except OSError as e:
        why = e.strerror or str(e)
        return make_failed_settings(name, SettingsError(say("cannot be read: {why}", why=why)))
    except UnicodeDecodeError:
        return make_failed_settings(name, SettingsError(say("is not UTF-8")))
