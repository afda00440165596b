"""ament_python package description; `colcon build` and `pip install` both read it."""
from glob import glob
from os import path as paths
from pathlib import Path

from setuptools import Extension, find_packages, setup

PACKAGE = "hil_relative_dynamics"
NODES = sorted(path.stem for path in Path(PACKAGE, "nodes").glob("[!_]*.py") if path.stem != "robot_commander")
ROBOTS = ["client_robot", "servicer_robot"]


def share(*folders: str) -> list[tuple[str, list[str]]]:
    """Every file below the folders, for the same place below share/<package>/."""
    places: dict[str, list[str]] = {}
    for name in (name for folder in folders for name in sorted(glob(f"{folder}/**", recursive=True))):
        if paths.isfile(name) and "__pycache__" not in name:
            places.setdefault(paths.join("share", PACKAGE, paths.dirname(name)), []).append(name)
    return list(places.items())


setup(
    name=PACKAGE,
    version="0.1.0",
    description="Hardware-in-the-loop rehearsal of on-orbit servicing",
    license="Apache-2.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={f"{PACKAGE}.kernels": ["*.c", "*.h"]},
    # A plain shared library, loaded with ctypes: it needs a C compiler but no Python headers.
    ext_modules=[
        Extension(
            f"{PACKAGE}.kernels._kernels",
            sources=sorted(glob(f"{PACKAGE}/kernels/*.c")),
            depends=sorted(glob(f"{PACKAGE}/kernels/*.h")),
            extra_compile_args="-std=c99 -O3 -fno-math-errno -ffp-contract=off -Wall -Wextra".split(),
            libraries=["m"],
        )
    ],
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        *share("launch", "config", "urdf", "rviz"),
    ],
    python_requires=">=3.10",
    install_requires=[
        "numpy>=1.26",
        "scipy>=1.11",
        "pin>=3.0",
        "transforms3d>=0.4.1",
        "PyYAML>=6.0",
        "matplotlib>=3.7",
        "rich>=13.0",
        "xacro>=2.0",
        "mcap>=1.1",
        "zstandard>=0.20",
    ],
    extras_require={
        "reference": ["mujoco>=3.2"],
        "viewer": ["viser>=1.1"],
        "test": [
            "pytest>=7.4",
            "pytest-xdist>=3.3",
            "hypothesis>=6.90",
            "mujoco>=3.2",
            "playwright>=1.40",
            "rosbags>=0.10",
        ],
        "lint": ["ruff>=0.6", "mypy>=1.10"],
        "docs": ["sphinx>=7.3,<10", "myst-parser>=3.0,<6", "furo>=2024.8"],
    },
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "hil = hil_relative_dynamics.cli:main",
            f"example_controller = {PACKAGE}.examples.station_keeping:main",
            *(f"{name} = {PACKAGE}.nodes.{name}:main" for name in NODES),
            *(f"{robot}_commander = {PACKAGE}.nodes.robot_commander:{robot}" for robot in ROBOTS),
        ]
    },
)
