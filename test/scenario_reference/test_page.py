"""docs/scenarios.md says what the schema says."""
from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from hil_relative_dynamics.scenario import Scenario, available, load_mission, to_yaml
from hil_relative_dynamics.scenario.document import parse
from hil_relative_dynamics.scenario.share import SOURCE_TREE

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "scenarios.md"


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "tools" / "scenario_reference.py"))


def test_the_committed_page_is_up_to_date(tool: dict[str, Any]) -> None:
    assert PAGE.read_text(encoding="utf-8") == tool["page"](), "run: python tools/scenario_reference.py"


@pytest.mark.parametrize("name", [name for name, _ in available()])
def test_every_key_of_a_written_scenario_is_on_the_page(name: str) -> None:
    scenario = load_mission(name)
    _, text = PAGE.read_text(encoding="utf-8").split(f"# `mission: {scenario.mission}`\n")
    text = text.split("\n# ")[0]
    sections = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))

    def check(value: Any, path: str) -> None:
        if isinstance(value, list):
            for item in value:
                check(item, f"{path}[]")
        elif isinstance(value, dict):
            (body,) = [body for title, body in sections.items() if (f"`{path}`" if path else "The file") in title]
            for key, inner in value.items():
                assert f"| `{key}` |" in body, f"{path}.{key}"
                check(inner, f"{path}.{key}" if path else key)

    check(parse(to_yaml(scenario)), "")


def test_the_page_is_the_same_on_every_machine(tool: dict[str, Any]) -> None:
    assert str(SOURCE_TREE) not in tool["page"]() and str(Path.home()) + "/" not in tool["page"]()


def test_a_new_key_would_show(tool: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from hil_relative_dynamics.scenario import reader

    item = reader.entries(Scenario)["seed"]
    with_one_more = {**reader.entries(Scenario), "brand_new": item}
    tables = tool["_section"].__globals__
    monkeypatch.setitem(tables, "entries", lambda part: with_one_more if part is Scenario else reader.entries(part))
    assert "| `brand_new` |" in tool["page"]()
