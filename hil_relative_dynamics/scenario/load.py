"""Scenarios from files and names, and back."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path

from hil_relative_dynamics.scenario.document import NotYaml, dump, parse
from hil_relative_dynamics.scenario.errors import ScenarioError
from hil_relative_dynamics.scenario.mission import Mission
from hil_relative_dynamics.scenario.missions import MISSIONS
from hil_relative_dynamics.scenario.overrides import overridden
from hil_relative_dynamics.scenario.reader import Place, Section, meant, nearest
from hil_relative_dynamics.scenario.schema import Scenario
from hil_relative_dynamics.scenario.share import share


def load(name_or_path: str | PathLike[str], overrides: Iterable[str] = ()) -> Scenario:
    """The checked servicing scenario of a YAML file, or of a shipped scenario's name.

    `overrides` are `key=value` texts as after `--set`. Raises ScenarioError and nothing else.
    """
    scenario = load_mission(name_or_path, overrides)
    if not isinstance(scenario, Scenario):
        allowed = "must be servicing here: other missions have no facility of nodes, run them with 'hil run'"
        raise ScenarioError(scenario.file, "mission", scenario.mission, allowed)
    return scenario


def load_mission(name_or_path: str | PathLike[str], overrides: Iterable[str] = ()) -> Mission:
    """The checked scenario of any kind; otherwise as `load`."""
    file = _find(name_or_path)
    document, keys = overridden(_read(file), tuple(overrides))
    at = Place(str(file), file.parent.absolute(), keys)
    mission = document.get("mission", "servicing")
    if not isinstance(mission, str) or mission not in MISSIONS:
        raise (at / "mission").error(mission, f"is no known mission{nearest(mission, MISSIONS)}")
    return replace(Section(MISSIONS[mission]).read(document, at), file=file.absolute())


def available() -> list[tuple[str, str]]:
    """Names and descriptions of the shipped scenarios; for one that does not read, the reason."""
    return [(path.stem, _description(path)) for path in _shipped()]


def to_yaml(scenario: Mission) -> str:
    """The scenario with every default written out; it loads back to an equal one."""
    return dump(Section(type(scenario)).write(scenario))


def configuration_hash(scenario: Mission) -> str:
    """SHA-256 of all values and of the contents of the files named in them, wherever these lie."""
    text = to_yaml(scenario)
    contents = []
    for path in scenario.files:
        text = text.replace(str(path), path.name)
        contents.append(sha256(path.read_bytes()).hexdigest())
    return sha256("\n".join([text, *contents]).encode()).hexdigest()


def _shipped() -> list[Path]:
    return sorted((share() / "config" / "scenarios").glob("*.yaml"))


def _find(name_or_path: str | PathLike[str]) -> Path:
    path = Path(name_or_path)
    shipped = {file.stem: file for file in _shipped()}
    if str(name_or_path) in shipped and not path.is_file():
        return shipped[str(name_or_path)]
    return path


def _read(file: Path, visited: tuple[Path, ...] = ()) -> dict[object, object]:
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        names = [path.stem for path in _shipped()]
        allowed = f"must be a file or the name of a shipped scenario{meant(file, names)} (hil list tells them)"
        raise ScenarioError(file, "", file, allowed) from None
    except UnicodeDecodeError as error:
        raise ScenarioError(file, "", file, f"must be text in UTF-8 (byte {error.start} is not)") from None
    except (OSError, ValueError) as error:  # a folder, not permitted, a NUL in the name
        reason = getattr(error, "strerror", error)
        raise ScenarioError(file, "", file, f"must be a readable file ({reason})") from None
    try:
        document = parse(text)
    except NotYaml as error:
        line = [*text.split("\n"), ""][error.line - 1]
        allowed = f"must be valid YAML ({error.problem})"
        raise ScenarioError(file, f"line {error.line}", line, allowed) from None
    if not isinstance(document, dict):
        found = "is empty and" if document is None else f"holds a {type(document).__name__} and"
        raise ScenarioError(file, "", document, f"{found} {Section(Scenario).allowed}")
    return _extended(document, file, visited)


def _extended(document: dict[object, object], file: Path, visited: tuple[Path, ...]) -> dict[object, object]:
    """What the scenario named under `extends` says, with this document's values in place of its own."""
    name = document.pop("extends", None)
    if name is None:
        return document
    beside = file.parent / f"{name}.yaml"
    base = beside if beside.is_file() else _find(str(name))
    if base.absolute() in visited:
        raise ScenarioError(file, "extends", name, "must not lead back to the same scenario")
    return _merged(_read(base, (*visited, base.absolute())), document)


def _merged(base: object, change: object) -> dict[object, object]:
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return change  # type: ignore[return-value]
    return {**base, **{key: _merged(base.get(key), value) for key, value in change.items()}}


def _description(file: Path) -> str:
    try:
        return " ".join(str(_read(file).get("description", "")).split())
    except ScenarioError as error:
        return str(error)
