"""YAML without its surprises: text to plain values and back.

Numbers, `true`/`false` and `null` are what YAML 1.2 calls so: `1e-3` is a number, `on` is a word,
`010` is ten and `1:30` is text. A key that stands twice is refused; so is every tag but the plain ones.
"""
from __future__ import annotations

import re
from typing import Any, ClassVar, NoReturn

import yaml
from yaml.constructor import ConstructorError

_TAG = "tag:yaml.org,2002:"
_PLAIN = (  # tag, pattern, first characters
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+\.?[0-9]*)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
)


class NotYaml(Exception):
    """Text that is no YAML, or that YAML would misread."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(line, problem)
        self.line, self.problem = line, problem


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}
    yaml_constructors: ClassVar[dict[str | None, Any]] = {}

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        lines: dict[str, int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode):
                if key.value in lines:
                    _refuse(key, f"{key.value!r} stands twice, first on line {lines[key.value]}")
                lines[key.value] = key.start_mark.line + 1
        return super().construct_mapping(node, deep)

    def plain(self, node: yaml.ScalarNode) -> object:
        text, tag = str(self.construct_scalar(node)), node.tag.removeprefix(_TAG)
        try:
            if tag == "bool":
                return {"true": True, "false": False}[text]
            if tag == "int":
                return int(text)
            return float(re.sub(r"\.(?=inf$|nan$)", "", text.lower()))
        except (KeyError, ValueError):
            _refuse(node, f"{text[:40]!r} cannot be read as {tag}")


class _Dumper(yaml.SafeDumper):
    """Quotes what `_Loader` would otherwise not read as text; lists of numbers stay on one line."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def ignore_aliases(self, data: object) -> bool:
        return True

    def inline_numbers(self, values: list[Any]) -> yaml.SequenceNode:
        inline = all(not isinstance(value, (dict, list)) for value in values)
        return self.represent_sequence(_TAG + "seq", values, flow_style=inline)


for _name, _pattern, _first in _PLAIN:
    for _class in (_Loader, _Dumper):
        _class.add_implicit_resolver(_TAG + _name, re.compile(rf"^(?:{_pattern})$"), _first)
for _name in ("bool", "int", "float"):
    _Loader.add_constructor(_TAG + _name, _Loader.plain)
for _name in ("null", "str", "seq", "map"):
    _Loader.add_constructor(_TAG + _name, getattr(_Loader, f"construct_yaml_{_name}"))
_Loader.add_constructor(None, _Loader.construct_undefined)
_Dumper.add_representer(list, _Dumper.inline_numbers)


def _refuse(node: yaml.Node, problem: str) -> NoReturn:
    raise ConstructorError(None, None, problem, node.start_mark)


def parse(text: str) -> object:
    """The plain value of a YAML text; raises NotYaml and nothing else."""
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYaml(mark.line + 1 if mark else 1, error.problem or str(error.context)) from None
    except yaml.reader.ReaderError as error:
        raise NotYaml(text.count("\n", 0, error.position) + 1, error.reason) from None
    except RecursionError:
        raise NotYaml(1, "nested too deeply") from None


def dump(value: object) -> str:
    """A YAML text that `parse` reads as the same value."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
