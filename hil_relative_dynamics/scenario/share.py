"""Where the package's own scenarios and robot descriptions are."""
from __future__ import annotations

import sys
from pathlib import Path

PACKAGE = "hil_relative_dynamics"
SOURCE_TREE = Path(__file__).resolve().parents[2]


def share() -> Path:
    """The package's share folder: ament index first, source tree second, pip's data files last."""
    registered = _registered()
    if registered is not None:
        return registered
    if (SOURCE_TREE / "config" / "scenarios").is_dir():
        return SOURCE_TREE
    return Path(sys.prefix) / "share" / PACKAGE


def _registered() -> Path | None:
    try:
        from ament_index_python.packages import get_package_share_directory
    except ImportError:
        return None
    try:
        return Path(get_package_share_directory(PACKAGE))
    except (LookupError, OSError):  # not registered there; no AMENT_PREFIX_PATH
        return None
