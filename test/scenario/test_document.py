"""YAML without its surprises."""
from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hil_relative_dynamics.scenario import ScenarioError, load
from hil_relative_dynamics.scenario.document import NotYaml, dump, parse

from .files import VALID, write
from .test_refusals import refusal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        ("-.5", -0.5),
        ("+5.", 5.0),
        ("010", 10),
        ("1:30", "1:30"),
        ("on", "on"),
        ("no", "no"),
        ("true", True),
        ("~", None),
        ("", None),
        ("2020-01-01", "2020-01-01"),
        ("'5'", "5"),
        ("-.inf", float("-inf")),
        ("on: client", {"on": "client"}),
    ],
)
def test_plain_values(text: str, value: object) -> None:
    assert parse(text) == value
    assert type(parse(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("seed: 1\nclient:\n\tmass_kg: 5\n", 3, "cannot start any token"),
        ("seed: 1\nseed: 2\n", 2, "'seed' stands twice, first on line 1"),
        ("client: {mass_kg: 1, mass_kg: 2}\n", 1, "'mass_kg' stands twice"),
        ("seed: [1\n", 2, "expected ',' or ']'"),
        ("a: 1\n b: 2\n", 2, "mapping values are not allowed here"),
        ("seed: 1\n---\nseed: 2\n", 2, "another document"),
        ("seed: !!python/object:os.system 1\n", 1, "could not determine a constructor"),
        ("seed: !!int many\n", 1, "cannot be read as int"),
        ("seed: !!bool 5\n", 1, "cannot be read as bool"),
        ("seed: 1\n\x01\n", 2, "special characters are not allowed"),
        ("[a, b]: 1\n", 1, "unhashable key"),
        (f"seed: {'9' * 9999}\n", 1, "cannot be read as int"),
        (f"seed: {'[' * 5000}\n", 1, "nested too deeply"),
    ],
)
def test_bad_yaml_names_the_line(tmp_path: Path, text: str, line: int, problem: str) -> None:
    error = refusal(write(tmp_path, text))
    assert f"spoilt.yaml: line {line} = " in str(error)
    assert "must be valid YAML" in str(error) and problem in str(error)


@pytest.mark.parametrize(
    ("text", "found"),
    [("", "is empty"), ("# a comment\n", "is empty"), ("- 1\n", "holds a list"), ("word\n", "holds a str")],
)
def test_file_that_is_no_mapping(tmp_path: Path, text: str, found: str) -> None:
    error = refusal(write(tmp_path, text))
    assert f"spoilt.yaml {found} and must be a mapping of mission, description, duration_s" in str(error)


def test_file_that_is_no_text(tmp_path: Path) -> None:
    file = write(tmp_path)
    file.write_bytes(b"seed: \xff")
    assert "spoilt.yaml must be text in UTF-8 (byte 6 is not)" in str(refusal(file))


def test_file_that_is_not_there(tmp_path: Path) -> None:
    assert "must be a file or the name of a shipped scenario" in str(refusal(tmp_path / "absent.yaml"))
    assert "did you mean envisat_unforced?" in str(refusal("envisat_unforce"))
    assert "must be a readable file" in str(refusal(tmp_path))
    assert "must be a readable file" in str(refusal("a\0b"))
    assert "must be a readable file" in str(refusal("x" * 300))


def test_byte_order_mark_and_numbers_without_a_point(tmp_path: Path) -> None:
    text = yaml.safe_dump(VALID).replace("mass_kg: 100.0", "mass_kg: 1e2")
    assert load(write(tmp_path, "\ufeff" + text)).client.mass == 100.0


def test_recursive_alias(tmp_path: Path) -> None:
    text = "description: d\nduration_s: 1\nclient: &c {mass_kg: *c}\n"
    assert "client.mass_kg = {" in str(refusal(write(tmp_path, text)))


words = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]))  # `Text` has no line breaks
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(words, children, max_size=4),
    max_leaves=10,
)


@given(plain)
def test_dumped_values_parse_back(value: object) -> None:
    assert parse(dump(value)) == value


@given(st.text())
def test_any_text_parses_or_is_refused(text: str) -> None:
    try:
        parse(text)
    except NotYaml as error:
        assert 1 <= error.line <= len(text) + 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.dictionaries(st.sampled_from([*VALID, "other"]) | words, plain))
def test_any_mapping_is_refused_in_one_sentence(tmp_path: Path, document: dict[str, object]) -> None:
    file = write(tmp_path, dump(VALID | document))
    try:
        load(file)
    except ScenarioError as error:
        assert str(error).startswith(f"{file}: ") and "\n" not in str(error)
