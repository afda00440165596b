"""Robot descriptions of the laboratory, expanded from `urdf/*.urdf.xacro` in this process."""
from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import xacro

from hil_relative_dynamics.scenario.share import share

DEFAULT_LAYOUT: Mapping[str, str] = {}
"""Robot bases as urdf/layout.xacro has them."""


def description(name: str, layout: Mapping[str, str] = DEFAULT_LAYOUT) -> str:
    """URDF of a device (client_robot, servicer_robot, arm) or of them all in one tree (facility).

    Args:
        name: of the file `urdf/<name>.urdf.xacro` in the package's share folder.
        layout: xacro arguments of urdf/layout.xacro, e.g. {"servicer_base_xyz": "4.9 0 0"}, or its defaults.
    """
    return _expand(name, tuple(sorted(layout.items())))


@lru_cache(maxsize=32)
def _expand(name: str, arguments: tuple[tuple[str, str], ...]) -> str:
    path = share() / "urdf" / f"{name}.urdf.xacro"
    return xacro.process_file(str(path), mappings=dict(arguments)).toxml()
