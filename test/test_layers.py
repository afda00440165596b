"""The layers of the package: imports go downwards, and nothing below `ros` knows ROS."""
import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import hil_relative_dynamics

PACKAGE = hil_relative_dynamics.__name__
ROOT = Path(hil_relative_dynamics.__file__).parent
LAYERS = (  # from the bottom up; those on one line are neighbours
    ("scenario",),
    ("kernels",),
    ("spatial",),
    ("bodies", "orbit"),
    ("matching",),
    ("onboard", "facility", "sensors", "multirotor", "berthing", "deorbit"),
    ("engine", "evidence", "missions", "scene", "bag"),
    ("ros",),
    ("nodes", "viewer", "bringup", "commands", "doctor", "cli", "examples"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
ROS_FREE = [name for name in LEVEL if LEVEL[name] < LEVEL["ros"]]
SOURCES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")

IMPORT_ALL = """
import importlib, importlib.util, pkgutil, sys

def modules(layer):
    yield layer
    for found in pkgutil.walk_packages(importlib.import_module(layer).__path__, layer + "."):
        if not found.name.endswith("._kernels"):  # a plain C library beside the modules
            yield found.name

imported = 0
for layer in sys.argv[1:]:
    for name in modules(layer) if importlib.util.find_spec(layer) else ():
        try:
            importlib.import_module(name)
        except ImportError:
            if importlib.util.find_spec("mujoco"):  # optional: what compares with it says so
                raise
        imported += 1
print(imported)
tops = {name.split(".")[0] for name in sys.modules}
print(*[name for name in tops if name in ("rclpy", "launch") or name.endswith("_msgs")])
"""


def layer_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_layers(path: Path) -> Iterator[tuple[str, int]]:
    """Layers of this package that a file imports, anywhere in it, with the line."""
    package = [PACKAGE, *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*origin, *([node.module] if node.module else [])])
            names = [f"{module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith(f"{PACKAGE}.") and not name.endswith("__"):  # __version__ is no layer
                yield name.split(".")[1], node.lineno


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_downwards(path):
    layer = layer_of(path)
    assert layer in LEVEL, f"give {layer} a place among the layers"
    for imported, line in imported_layers(path):
        assert LEVEL[imported] <= LEVEL[layer], f"{path}:{line}: {layer} must not import {imported}"


def test_neighbours_do_not_import_each_other_in_a_circle():
    graph: dict[str, set[str]] = {}
    for path in SOURCES:
        graph.setdefault(layer_of(path), set()).update(name for name, _ in imported_layers(path))
    for layer, imported in graph.items():
        imported.discard(layer)
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


def test_the_package_itself_imports_nothing():
    assert list(imported_layers(ROOT / "__init__.py")) == []


def test_no_layer_below_ros_pulls_ros_in():
    names = [f"{PACKAGE}.{layer}" for layer in ROS_FREE]
    command = [sys.executable, "-c", IMPORT_ALL, *names]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT.parent)
    assert done.returncode == 0, done.stderr
    count, found = done.stdout.split("\n")[:2]
    assert int(count) >= 40
    assert found == ""


@pytest.mark.parametrize(
    "text, layers",
    [
        ("import numpy", []),
        ("import hil_relative_dynamics.ros.topics", ["ros"]),
        ("from hil_relative_dynamics import ros, engine", ["ros", "engine"]),
        ("from hil_relative_dynamics.ros import topics", ["ros"]),
        ("from .. import ros", ["ros"]),
        ("from ..ros.topics import NAME", ["ros"]),
        ("from . import pair", ["matching"]),
        ("def late():\n    import hil_relative_dynamics.cli", ["cli"]),
    ],
)
def test_every_way_to_import_is_seen(text, layers, monkeypatch):
    path = ROOT / "matching" / "somewhere.py"
    monkeypatch.setattr(Path, "read_text", lambda *arguments, **options: text)
    assert [layer for layer, _ in imported_layers(path)] == layers
