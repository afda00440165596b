"""docs/topics.md against the graph of a running facility."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import topics_reference  # noqa: E402


@pytest.fixture(scope="module")
def node():
    container = topics_reference.facility()
    yield container.nodes[0]
    container.close()


def listed(header):
    """Rows of the table of the page that has this first column."""
    lines = topics_reference.PAGE.read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {header} |")) + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append(tuple(cell.strip().strip("`") for cell in line.strip("|").split("|")))
    return rows


def test_every_topic_type_node_and_qos_is_as_the_page_says(node):
    written = {row[0]: row[1:5] for row in listed("topic | type | published by")}
    seen = {row[0]: row[1:] for row in topics_reference.rows(node)}
    sometimes = {row[0]: row[1] for row in listed("topic | type | when")}
    for topic in seen.keys() & sometimes.keys():
        assert seen.pop(topic)[0] == sometimes[topic], topic
    assert seen.keys() == written.keys(), "run tools/topics_reference.py"
    for topic, row in seen.items():
        assert row == written[topic], topic


def test_every_service_is_on_the_page(node):
    assert topics_reference.services(node) == listed("service"), "run tools/topics_reference.py"
