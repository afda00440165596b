"""Makes every picture of the documentation from real runs: `make pictures`, or `python tools/pictures.py NAME ...`.

Each scenario is run once, offline, by the `hil` command; its figures are made small (256 colours) for docs/pictures/.
Screenshots of report and viewer want Chromium and playwright; without them they are left as they are, and it says so.
"""
from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDEST = 1400  # [pixels]


class Drawn(NamedTuple):
    """A figure that the run leaves in its folder."""

    scenario: str
    figure: str


class Seen(NamedTuple):
    """A page of the run as a browser shows it at a time of the run [s]."""

    scenario: str
    page: str
    time: float = 0.0


CAPTURE = "envisat_capture"
SUBJECTS: dict[str, Drawn | Seen] = {
    "envisat_capture": Drawn(CAPTURE, "capture.png"),
    "envisat_capture_workspace": Drawn(CAPTURE, "workspace.png"),
    "viewer": Seen(CAPTURE, "viewer", 33.0),
    "report": Seen(CAPTURE, "report"),
    "envisat_absolute": Drawn("envisat_absolute", "workspace.png"),
    "flexible_symmetric": Drawn("flexible_symmetric", "hub.png"),
    "rendezvous_elliptic": Drawn("rendezvous_elliptic", "orbit.png"),
    "berthing": Drawn("berthing", "contact.png"),
    "multirotor_approach": Drawn("multirotor_approach", "flight.png"),
    "deorbit_friction": Drawn("deorbit_friction", "forces.png"),
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Makes the pictures of the documentation from real runs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(SUBJECTS)} (default: all)")
    names = parser.parse_args().names or list(SUBJECTS)
    if unknown := [name for name in names if name not in SUBJECTS]:
        parser.error(f"there is no picture {', '.join(unknown)}, only {', '.join(SUBJECTS)}")
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        runs = Runs(Path(folder))
        for name in names:
            print(f"{name}: {_make(name, runs)}", flush=True)
    return 0


def _make(name: str, runs: Runs) -> str:
    """Makes one picture; says how large it is, or why it was left out."""
    subject, target = SUBJECTS[name], PICTURES / f"{name}.png"
    run = runs.of(subject.scenario)
    if isinstance(subject, Drawn):
        figure = run / subject.figure
    else:
        figure = run / f"{name}.screenshot.png"
        try:
            PHOTOGRAPHED[subject.page](run, subject.time, figure)
        except ImportError as error:
            return f"left out, {error}"
    with Image.open(figure) as image:
        picture = image.convert("RGB")
    picture.thumbnail((WIDEST, 10 * WIDEST))
    picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(target, optimize=True)
    return f"{target.relative_to(ROOT)}, {target.stat().st_size // 1000} kB"


class Runs:
    """Folders of runs, each made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.of = cache(self._run)

    def _run(self, scenario: str) -> Path:
        place = self._folder / scenario
        command = [sys.executable, "-m", "hil_relative_dynamics.cli", "run", scenario, "--out", str(place)]
        done = subprocess.run([*command, "--record", "none"], cwd=ROOT, capture_output=True, text=True)
        if done.returncode not in (0, 1):  # 1: a run that is stopped, as the one without the method has to be
            sys.exit(f"{scenario}: {done.stderr.strip()}")
        (folder,) = place.iterdir()
        return folder


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
    software_drawing = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as started:
        own = started.chromium.executable_path
        found = next(filter(None, map(shutil.which, names)), own if os.path.exists(own) else None)
        if found is None:
            raise ImportError("no Chromium here: apt install chromium, or python -m playwright install chromium")
        browser = started.chromium.launch(executable_path=found, args=software_drawing)
        yield browser
        browser.close()


def _report(run: Path, time: float, target: Path) -> None:
    with _browser() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto((run / "report.html").as_uri())
        page.screenshot(path=str(target))


def _viewer(run: Path, time: float, target: Path) -> None:
    from hil_relative_dynamics.viewer.replay import Replay
    from hil_relative_dynamics.viewer.replay_page import ReplayPage
    from hil_relative_dynamics.viewer.server import address_of, keep_pace, served

    with served("127.0.0.1", 0) as server, _browser() as browser:
        replay = ReplayPage(server, Replay(run))
        replay.player.playing = False
        with _kept_up(replay.step, keep_pace):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(address_of(server))
            page.wait_for_selector("canvas")
            number = page.locator("input[type=text]").first
            number.fill(str(time))
            number.press("Enter")
            notice = page.locator("[class*=Notification-closeButton]")  # that software draws, if it does
            while notice.count():
                notice.first.click()
                page.wait_for_timeout(500)
            page.wait_for_timeout(15_000)  # software draws a frame in a second or two
            page.screenshot(path=str(target), timeout=60_000)


@contextmanager
def _kept_up(step: Callable[[float], object], keep_pace: Callable[..., None]) -> Iterator[None]:
    """Moves the scene in another thread, as `hil view` does in its own."""
    going = threading.Event()
    going.set()

    def once(elapsed: float) -> bool:
        step(elapsed)
        return going.is_set()

    thread = threading.Thread(target=keep_pace, args=(once,))
    thread.start()
    try:
        yield
    finally:
        going.clear()
        thread.join()


PHOTOGRAPHED = {"report": _report, "viewer": _viewer}

if __name__ == "__main__":
    sys.exit(main())
