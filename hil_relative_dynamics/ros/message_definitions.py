"""Message types as text, as recordings carry them: from the generated Python classes, which are always there."""
from __future__ import annotations

import re
from importlib import import_module
from typing import Any

_NAMES = {"boolean": "bool", "octet": "byte", "float": "float32", "double": "float64"}
_SEPARATOR = "=" * 80
_SEQUENCE = re.compile(r"sequence<(?P<element>.+?)(, (?P<most>\d+))?>")
_ARRAY = re.compile(r"(?P<element>.+)\[(?P<size>\d+)\]")
_STRING = re.compile(r"(?P<kind>w?string)<(?P<most>\d+)>")
#: stands in for the fields of a message that has none
_PLACEHOLDER = "structure_needs_at_least_one_member"


def type_name(message_type: Any) -> str:
    """As in `geometry_msgs/msg/Wrench`."""
    return f"{message_type.__module__.split('.')[0]}/msg/{message_type.__name__}"


def definition(message_type: Any) -> str:
    """The type and all that it consists of, in the ros2msg format."""
    fields, nested = _fields(message_type)
    parts, waiting, known = [fields], list(nested), set()
    while waiting:
        name = waiting.pop(0)
        if name in known:
            continue
        known.add(name)
        fields, nested = _fields(_of(name))
        parts += [_SEPARATOR, f"MSG: {name}", fields]
        waiting += nested
    return "\n".join(parts) + "\n"


def _of(name: str) -> Any:
    package, _, kind = name.partition("/")
    return getattr(import_module(f"{package}.msg"), kind)


def _fields(message_type: Any) -> tuple[str, list[str]]:
    """One line for each field; the types among them that are messages themselves."""
    lines, nested = [], []
    for name, kind in message_type.get_fields_and_field_types().items():
        if name == _PLACEHOLDER:
            continue
        element, brackets = _element(kind)
        if "/" in element:
            nested.append(element)
        lines.append(f"{_primitive(element)}{brackets} {name}")
    return "\n".join(lines), nested


def _element(kind: str) -> tuple[str, str]:
    """What a field holds, and how many: `double`, `[3]`."""
    if array := _ARRAY.fullmatch(kind):
        return array["element"], f"[{array['size']}]"
    if sequence := _SEQUENCE.fullmatch(kind):
        return sequence["element"], f"[<={sequence['most']}]" if sequence["most"] else "[]"
    return kind, ""


def _primitive(element: str) -> str:
    if bounded := _STRING.fullmatch(element):
        return f"{bounded['kind']}<={bounded['most']}"
    return _NAMES.get(element, element)
