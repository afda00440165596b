"""README and docs: links lead somewhere, commands can be typed, and what is named exists."""
from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from hil_relative_dynamics import cli
from hil_relative_dynamics.bringup.arguments import ARGUMENTS
from hil_relative_dynamics.evidence import bench, validation
from hil_relative_dynamics.scenario import available, load_mission

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
each_page = pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])

SCENARIOS = dict(available())
GROUPS = {"validate": validation.GROUPS, "bench": bench.GROUPS}
FENCE = re.compile(r"^ *```(\S*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^\n((?: {4}\S.*\n)+)", re.MULTILINE)
INLINE = re.compile(r"`([^`]+)`")
#: what stands for something that the reader has to put in, or for a run of the reader's own
PLACEHOLDER = re.compile(r"[<>]|\.\.\.|^runs/|mine\.yaml$")
#: named as a command, without its arguments: `hil view`
COMMANDS_ALONE = {"run", "report", "compare", "view"}
#: made by a run, by a user or by a tool, or belonging to somebody else
ELSEWHERE = {
    "report.html", "compare.html", "index.html", "summary.json", "signals.npz", "measures.npz", "scenario.yaml",
    "metadata.yaml", "recording.mcap", "recording_0.mcap", "mine.yaml", "limits.conf", "rsi_ethernet.xml",
}  # fmt: skip


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    contents = [body for kind, body in FENCE.findall(index) if kind == "{toctree}"]
    listed = [line for body in contents for line in body.splitlines() if line and not line.startswith(":")]
    assert sorted(listed) == sorted(page.stem for page in DOCS.glob("*.md") if page.stem != "index")


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(file), f"{page.name}: {target}"


@each_page
def test_pictures_are_there_and_drawn_by_the_tool(page: Path) -> None:
    tool = (ROOT / "tools" / "pictures.py").read_text(encoding="utf-8")
    for name in re.findall(r"pictures/(\w+)\.png\)", page.read_text(encoding="utf-8")):
        assert f'"{name}":' in tool


def test_every_picture_is_shown() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (DOCS / "pictures").iterdir():
        assert f"pictures/{picture.name})" in text


@each_page
def test_commands_can_be_typed(page: Path) -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for words in commands(page):
        program, *rest = words
        if program == "hil":
            check_hil(rest)
        elif program == "make":
            assert {word for word in rest if "=" not in word} <= targets, words
        elif program == "python" and rest[:1] == ["-m"] and rest[1].startswith("hil_relative_dynamics"):
            assert find_spec(rest[1]), words
        elif words[:3] == ["ros2", "launch", "hil_relative_dynamics"]:
            check_launch(words[3:])
        elif words[:3] == ["ros2", "run", "hil_relative_dynamics"]:
            assert words[3] in executables(), words


def check_hil(words: list[str]) -> None:
    """The parser takes it, scenarios and groups exist, and values that are set can be set."""
    if {"--help", "COMMAND"} & set(words) or (len(words) == 1 and words[0] in COMMANDS_ALONE):
        return
    try:
        options = cli._parser().parse_args(words)
    except SystemExit:
        pytest.fail(f"hil {shlex.join(words)}")
    group, scenario = getattr(options, "group", None), getattr(options, "scenario", None)
    assert group is None or group in GROUPS[words[0]], words
    if scenario and not PLACEHOLDER.search(scenario):
        assert scenario in SCENARIOS, words
        load_mission(scenario, getattr(options, "overrides", ()))


def check_launch(words: list[str]) -> None:
    file, *given = words
    assert (ROOT / "launch" / file).exists(), words
    known = {argument.name: argument for argument in ARGUMENTS}
    for name, value in (word.split(":=", 1) for word in given if ":=" in word):
        assert name in known, f"{words}: {name}"
        choices = known[name].choices
        assert not choices or value in choices or PLACEHOLDER.search(value), f"{words}: {name}:={value}"


@each_page
def test_files_that_are_named_exist(page: Path) -> None:
    for name in INLINE.findall(prose(page)):
        if not re.fullmatch(r"[\w./-]+\.(py|c|h|yaml|xacro|urdf|rviz|md|rst|json|html|npz|mcap|conf|xml)", name):
            continue
        parts = name.split("/")
        assert parts[-1] in ELSEWHERE or any(path.endswith(f"/{name}") for path in files()), f"{page.name}: {name}"


def test_the_code_named_beside_an_equation_is_there() -> None:
    rows = [line for line in prose(DOCS / "method.md").splitlines() if line.startswith("| (")]
    named = [
        (path, symbol.split(".")[-1])
        for row in rows
        for path, symbols in re.findall(r"`([\w/]+\.[pych]+)`: ((?:`[\w.]+`(?:, )?)+)", row)
        for symbol in INLINE.findall(symbols)
    ]
    assert len(named) > 30
    for path, symbol in named:
        (file,) = [ROOT / known[1:] for known in files() if known.endswith(f"/{path}")]
        assert re.search(rf"\b{symbol}\b", file.read_text(encoding="utf-8")), f"{path}: {symbol}"


@each_page
def test_scenarios_and_their_keys_exist(page: Path) -> None:
    known = keys()
    sections = {key.split(".")[0] for key in known if "." in key}
    for name in INLINE.findall(prose(page)):
        if re.fullmatch(r"(envisat|deorbit)_\w+", name):
            assert name in SCENARIOS or name.endswith("_"), f"{page.name}: {name}"
        if re.fullmatch(r"[a-z_]+(\.\w+)+(: \S.*)?", name) and name.split(".")[0] in sections:
            key = name.partition(":")[0]
            assert key in known or key.split(".")[-1] in ("py", "c", "h", "png"), f"{page.name}: {name}"


def prose(page: Path) -> str:
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def commands(page: Path) -> Iterator[list[str]]:
    """Commands of code blocks, indented blocks and inline code, as words; comments, folders and waiting left out."""
    text = page.read_text(encoding="utf-8")
    blocks = [body for kind, body in FENCE.findall(text) if kind in ("", "sh")]
    blocks += [re.sub("^ {4}", "", block, flags=re.MULTILINE) for block in INDENTED.findall(prose(page))]
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    lines += [" ".join(code.split()) for code in INLINE.findall(prose(page))]
    for line in lines:
        line = re.sub(r"^(\w+=\S+ )*(\.venv/bin/)?", "", line.strip())
        if re.match(r"(hil|make|python|ros2) [\w.-]", line):
            yield shlex.split(line.replace("<", "'<").replace(">", ">'") if "'" not in line else line, comments=True)


@cache
def anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub and MyST name them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@cache
def files() -> list[str]:
    folders = ("hil_relative_dynamics", "config", "urdf", "launch", "rviz", "test", "tools", "docs")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]
    return [f"/{path.relative_to(ROOT)}" for path in [*found, *ROOT.glob("*.*")]]


@cache
def keys() -> set[str]:
    """Every dotted key of the scenario reference, and its sections."""
    known, sections = set(), [""]
    for line in (DOCS / "scenarios.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            sections = [name.replace("[]", "") for name in INLINE.findall(line)] or [""]
            known |= set(sections)
        elif found := re.match(r"\| `(\w+)` \|", line):
            known |= {f"{section}.{found[1]}".lstrip(".") for section in sections}
    return known


@cache
def executables() -> set[str]:
    nodes = {path.stem for path in (ROOT / "hil_relative_dynamics" / "nodes").glob("[!_]*.py")}
    return nodes | {"example_controller", "client_robot_commander", "servicer_robot_commander"}
