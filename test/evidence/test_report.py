"""report.html says what a run was and whether it passed, and needs nothing from elsewhere."""
from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from hil_relative_dynamics.engine.assemble import assemble
from hil_relative_dynamics.engine.offline import run as run_offline
from hil_relative_dynamics.evidence.compare import configuration, numbers, write_comparison
from hil_relative_dynamics.evidence.conclude import conclude
from hil_relative_dynamics.evidence.report import reasons, write_report
from hil_relative_dynamics.evidence.run import Run, RunError, load_run
from hil_relative_dynamics.scenario import load

VOID = {"meta", "img", "br", "wbr", "link"}


class Page(HTMLParser):
    """Collects texts, images and whatever is fetched; checks that every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.sources: list[str] = []
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        assert tag not in ("script", "iframe", "link", "object")
        if "src" in given:
            self.sources.append(given["src"] or "")
        if "id" in given:
            self.anchors.add(given["id"] or "")
        if "href" in given:
            self.links.append(given["href"] or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def run_of(folder: Path, overrides: list[str], **facts: object) -> Run:
    scenario = load("envisat_pulses", ["duration_s=0.02", *overrides])
    recording = run_offline(assemble(scenario), scenario.duration_ns)
    folder.mkdir(exist_ok=True)
    known = {"mode": "offline", "interrupted": False, "simulated_s": 0.02, "real_time_factor": 3.0}
    return conclude(folder, scenario, recording, {**known, **facts})


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = run_of(tmp_path / "first", [])
    figure = plt.figure(figsize=(1, 1))
    figure.savefig(run.folder / "overview.png")
    figure.savefig(run.folder / "drawn_by_others.png")
    plt.close(figure)
    return run


def test_it_is_one_file_that_says_everything(run: Run) -> None:
    text = write_report(run).read_text()
    page = Page(text)
    assert len(page.sources) == 2 and all(source.startswith("data:image/png;base64,") for source in page.sources)
    assert not re.search(r"https?://|url\(|@import", text)
    assert {link.removeprefix("#") for link in page.links} <= page.anchors  # every link leads somewhere
    assert "envisat_pulses" in page.text and "Drawn by others" in page.text
    assert ">passed</span>" in text and "not passed" not in page.text
    for told in (run.summary["configuration_hash"], "relative_position_error_m", "2 of 2", "mass_kg: 7828"):
        assert told in page.text


def test_it_is_the_same_from_what_is_on_disk(run: Run) -> None:
    first = write_report(run).read_text()
    assert write_report(load_run(run.folder)).read_text() == first


def test_texts_from_elsewhere_are_only_text(tmp_path: Path) -> None:
    text = write_report(run_of(tmp_path / "bad", [], safety="<script>alert(1)</script> & so on")).read_text()
    assert "<script>" not in text and "&lt;script&gt;alert(1)&lt;/script&gt; &amp; so on" in text


def test_why_a_run_did_not_pass() -> None:
    judged = [{"criterion": "energy_error_J", "ok": False}, {"criterion": "other", "ok": True}]
    summary = {"interrupted": True, "simulated_s": 1.5, "safety": "Stop.", "onboard": "abort", "criteria": judged}
    assert reasons(summary) == [
        "It was interrupted at 1.5 s.",
        "The safety supervisor stopped it: Stop.",
        "The on-board software gave up: abort.",
        "Criteria that were not met: energy_error_J.",
    ]
    assert reasons({"interrupted": True, "ended": "It was killed.", "criteria": []}) == ["It was killed."]


def test_the_loop_is_told(tmp_path: Path) -> None:
    node = {"runs": 20, "late": 1, "longest_period_s": 2e-3, "oldest_input_s": 3e-3, "rejected_messages": 4}
    loop = {
        "ticks": 20,
        "tick_period_s": 1e-3,
        "time_to_first_tick_s": 0.5,
        "deadline_misses": 6,
        "lateness_s": {"largest": 7e-3},
        "nodes": {"arm_state": {**node, "ticks_made_up": 5}},
        "recording": {"messages": 80, "topics": 4, "lost": {"/clock": 9}, "error": ""},
    }
    page = Page(write_report(run_of(tmp_path / "loop", [], **loop)).read_text())
    for told in ("6 of 20", "7.000 ms", "arm_state", "9 messages were lost.", "/clock", "0.50 s"):
        assert told in page.text


def test_two_runs_are_compared(run: Run, tmp_path: Path) -> None:
    second = run_of(tmp_path / "second", ["client.mass_kg=5000", "external_wrenches.0.force_N=[1,2,3]"])
    changed = {difference.key: difference[1:] for difference in configuration(run, second)}
    assert changed.pop("client.mass_kg") == (7828.0, 5000.0)
    assert changed.pop("external_wrenches.0.force_N")[1] == [1.0, 2.0, 3.0] and not changed
    assert [difference.key for difference in numbers(run, second)][:2] == ["passed", "simulated_s"]
    page = Page(write_comparison(tmp_path / "both", run, second).read_text())
    assert len(page.sources) == 1 and "client.mass_kg" in page.text and "5000" in page.text
    assert "Both ran the same configuration." in write_comparison(tmp_path / "same", run, run).read_text()


def test_what_is_missing_is_told_and_the_rest_is_shown(run: Run) -> None:
    (run.folder / "measures.npz").unlink()
    (run.folder / "signals.npz").write_bytes((run.folder / "signals.npz").read_bytes()[:5000])
    found = load_run(run.folder)
    assert [note.split(":")[0] for note in found.notes] == ["signals.npz cannot be read", "measures.npz is missing"]
    assert "measures.npz is missing" in write_report(found).read_text()


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("summary.json", None, "holds no summary.json"),
        ("summary.json", "{", "summary.json is not JSON"),
        ("summary.json", json.dumps([1]), "is not the summary of a run"),
        ("scenario.yaml", None, "is not the folder of a run: it holds no scenario.yaml"),
    ],
)
def test_what_is_no_run_is_refused(run: Run, file: str, content: str | None, sentence: str) -> None:
    if content is None:
        (run.folder / file).unlink()
    else:
        (run.folder / file).write_text(content)
    with pytest.raises(RunError, match=sentence):
        load_run(run.folder)
    with pytest.raises(RunError, match="there is no such run folder"):
        load_run(run.folder / "nowhere")
