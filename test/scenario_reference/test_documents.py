"""README and docs: links lead somewhere, and what they say of the code is there."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

from hil_relative_dynamics.cli import _parser

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hil_relative_dynamics"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_links_lead_to_files(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_files_and_names_of_the_code_exist(document: Path) -> None:
    """Of the form `folder/file.py`: `Name`, `Other.name`."""
    text = re.sub(r"\s+", " ", document.read_text(encoding="utf-8"))
    for file, names in re.findall(r"`([\w/]+\.(?:py|c|h))`(?:: |, )?((?:`[\w.]+`(?:, )?)*)", text):
        places = [folder / file for folder in (PACKAGE, PACKAGE / "kernels", ROOT) if (folder / file).exists()]
        assert places, f"{file} is not there"
        code = places[0].read_text(encoding="utf-8")
        for name in re.findall(r"`([\w.]+)`", names):
            if "/" not in name and not name.endswith((".py", ".c", ".h")):
                for part in name.split("."):
                    assert re.search(rf"\b{part}\b", code), f"{file} has no {name}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=NAMES)
def test_commands_can_be_given_as_written(document: Path) -> None:
    for line in re.findall(r"^(?: {4})?(?:\.venv/bin/)?hil (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE):
        words = re.findall(r"'[^']*'|\S+", line.partition("#")[0])
        _parser().parse_args([word.strip("'") for word in words])


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for document in DOCUMENTS:
        for target in re.findall(r"`?make ([a-z]+)\b`", document.read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_pictures_are_small() -> None:
    pictures = list((ROOT / "docs" / "pictures").iterdir())
    assert pictures and all(picture.stat().st_size < 400_000 for picture in pictures)
