"""`--set key=value`: changes to a scenario before it is checked."""
from __future__ import annotations

from typing import Any

from hil_relative_dynamics.scenario.document import NotYaml, parse
from hil_relative_dynamics.scenario.errors import ScenarioError


def overridden(document: Any, overrides: tuple[str, ...]) -> tuple[Any, tuple[str, ...]]:
    """The document with every `key=value` in it, and the dotted keys that were set.

    Unknown keys are put in too: the check that follows refuses them and knows what is near.
    """
    keys = []
    for override in overrides:
        key, equals, text = override.partition("=")
        key = key.strip()
        if not equals or not all(key.split(".")):
            raise ScenarioError(f"--set {override!r}", "", override, "must be written key=value, e.g. seed=7")
        try:
            value = parse(text)
        except NotYaml as error:
            raise ScenarioError("--set", key, text, f"must be valid YAML ({error.problem})") from None
        document = _with(document, key.split("."), value, key)
        keys.append(key)
    return document, tuple(keys)


def _with(node: Any, path: list[str], value: object, key: str) -> Any:
    """A copy of the node with the value at the path; what the file shares by aliases stays apart."""
    if not path:
        return value
    name, rest = path[0], path[1:]
    if isinstance(node, list):
        if name not in map(str, range(len(node))):
            allowed = f"must name one of {len(node)} items by its index from 0, which {name!r} is not"
            raise ScenarioError("--set", key, value, allowed)
        index = int(name)
        return [*node[:index], _with(node[index], rest, value, key), *node[index + 1 :]]
    if node is None and not name.isdigit():
        node = {}
    if not isinstance(node, dict):
        raise ScenarioError("--set", key, value, f"sets {name} of what is neither a list nor a mapping")
    return {**node, name: _with(node.get(name), rest, value, key)}
