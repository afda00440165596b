"""The package descriptions agree with each other and with the tree; colcon is not needed for that."""
import ast
import re
import runpy
import sys
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "hil_relative_dynamics"

# Where names differ. Otherwise a distribution `name` has the rosdep key `python3-name` and the module `name`.
ROSDEP_KEYS = {"pin": "pinocchio", "PyYAML": "python3-yaml", "xacro": "xacro"}
#: rosdep has no key of theirs; where they are missing, runs are not recorded and say so
WITHOUT_KEY = {"mcap", "zstandard"}
MODULES = {"pin": "pinocchio", "PyYAML": "yaml"}


@pytest.fixture(scope="module")
def description():
    """What setup.py hands to setuptools."""
    with pytest.MonkeyPatch.context() as patch, mock.patch("setuptools.setup") as setup:
        patch.chdir(ROOT)
        runpy.run_path("setup.py")
    return setup.call_args.kwargs


@pytest.fixture(scope="module")
def manifest():
    return xml.parse(ROOT / "package.xml").getroot()


def distributions(requirements):
    return {re.match(r"[\w.-]+", requirement).group() for requirement in requirements}


def declared(manifest):
    return {element.text for element in manifest if element.tag.endswith("depend")}


def imported_modules():
    """Third-party modules imported anywhere in the package and the launch files, with the importing file."""
    found = {}
    for file in [*ROOT.glob(f"{PACKAGE}/**/*.py"), *ROOT.glob("launch/**/*.py")]:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            else:
                continue
            for name in names:
                found.setdefault(name.partition(".")[0], file.relative_to(ROOT))
    return {name: file for name, file in found.items() if name not in sys.stdlib_module_names | {PACKAGE}}


def test_every_shared_file_is_installed_in_its_place(description):
    installed = {
        f"{folder}/{Path(name).name}": name for folder, names in description["data_files"] for name in names
    }
    for folder in ("launch", "config", "urdf", "rviz"):
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith("."):
                name = file.relative_to(ROOT).as_posix()
                assert installed.get(f"share/{PACKAGE}/{name}") == name


def test_the_ament_index_can_find_the_package(description):
    files = dict(description["data_files"])
    assert f"resource/{PACKAGE}" in files["share/ament_index/resource_index/packages"]
    assert "package.xml" in files[f"share/{PACKAGE}"]
    assert all((ROOT / name).is_file() for names in files.values() for name in names)


def test_setup_py_and_package_xml_agree(description, manifest):
    assert manifest.findtext("name") == description["name"] == PACKAGE
    assert manifest.findtext("version") == description["version"]
    assert manifest.findtext("license") == description["license"]
    assert manifest.findtext("export/build_type") == "ament_python"


def test_every_runtime_dependency_is_known_to_ros(description, manifest):
    names = set(distributions(description["install_requires"])) - WITHOUT_KEY
    missing = {ROSDEP_KEYS.get(name, f"python3-{name}") for name in names} - declared(manifest)
    assert not missing, f"package.xml lacks {missing}"


def test_every_import_is_declared(description, manifest):
    required = {*description["install_requires"]}.union(*description["extras_require"].values())
    known = declared(manifest) | {MODULES.get(name, name) for name in distributions(required)}
    missing = {name: str(file) for name, file in imported_modules().items() if name not in known}
    assert not missing, f"neither setup.py nor package.xml declares {missing}"


def test_the_kernels_are_built_from_every_c_source(description):
    (extension,) = description["ext_modules"]
    assert extension.name == f"{PACKAGE}.kernels._kernels"
    sources = {path.relative_to(ROOT).as_posix() for path in (ROOT / PACKAGE).rglob("*.c")}
    assert sources and set(extension.sources) == sources
