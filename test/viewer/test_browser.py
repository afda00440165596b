"""The page in a real browser: headless Chromium."""
import os
import shutil
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from time import monotonic

import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed: 'make setup' installs it")
pytest.importorskip("playwright", reason="playwright is not installed: 'make setup' installs it")

from playwright.sync_api import sync_playwright

from hil_relative_dynamics.viewer.replay import Replay
from hil_relative_dynamics.viewer.replay_page import ReplayPage
from hil_relative_dynamics.viewer.server import address_of, keep_pace, served

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
INSTALL = "no Chromium here: apt install chromium, or python -m playwright install chromium"
#: no graphics card needed
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE = 60.0  # of a busy machine [s]
#: a domain that no other test uses
DOMAIN = "29"


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as started:
        bundled = started.chromium.executable_path
        found = next(filter(None, map(shutil.which, NAMES)), bundled if os.path.exists(bundled) else None)
        if found is None:
            pytest.skip(INSTALL)
        browser = started.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def kept_up(step):
    """Calls `step` in another thread, as the command does in its own."""
    going = threading.Event()
    going.set()

    def once(elapsed):
        step(elapsed)
        return going.is_set()

    thread = threading.Thread(target=keep_pace, args=(once,))
    thread.start()
    try:
        yield
    finally:
        going.clear()
        thread.join()


def until(condition, page, what):
    end = monotonic() + PATIENCE
    while not (found := condition()):
        assert monotonic() < end, f"never: {what}"
        page.wait_for_timeout(50)
    return found


def opened(browser, server):
    page = browser.new_page(viewport={"width": 640, "height": 400})  # software draws slowly
    page.goto(address_of(server))
    until(server.get_clients, page, "the page connects")
    return page


def test_the_slider_moves_the_robots(browser, capture):
    with served("127.0.0.1", 0) as server:
        replay = ReplayPage(server, Replay(capture))
        replay.player.playing = False
        with kept_up(replay.step):
            page = opened(browser, server)
            for view in ("Side by side", "Laboratory", "Orbit"):
                assert page.get_by_text(view, exact=True).first.is_visible()
            assert set(VIEWS_IN_SCENE) <= scene_nodes(server)
            page.wait_for_selector("canvas")
            link, base = (replay.stage.handles[key] for key in (
                ("laboratory", "servicer_robot_link_6"), ("orbit", "servicer_base_link")))
            before, drawn = (np.array(link.position), np.array(base.position)), page.screenshot()
            number = page.locator("input[type=text]").first
            number.fill("1.9")
            number.press("Enter")
            until(lambda: replay.player.time == pytest.approx(1.9), page, "the slider is heard")
            until(lambda: np.linalg.norm(np.array(link.position) - before[0]) > 1e-3, page, "the robot moves")
            assert np.linalg.norm(np.array(base.position) - before[1]) > 0.05
            until(lambda: page.screenshot() != drawn, page, "the picture changes")
            page.get_by_role("button", name="Play").click()
            until(lambda: replay.player.playing, page, "it plays")
            page.close()


VIEWS_IN_SCENE = ("/laboratory/client_robot_link_6", "/laboratory/servicer_robot_link_6", "/laboratory/arm_link_7",
                  "/orbit/client", "/orbit/nominal", "/orbit/servicer_base_link")


def scene_nodes(server):
    return set(server.scene._handle_from_node_name)


#: the servicer goes to and fro by 0.2 m; what a busy machine is late by is not what is tested here
FACILITY = """
from hil_relative_dynamics.ros.container import Container
from hil_relative_dynamics.scenario import load
pulses = [(8 * k + start, 2, sign) for k in range(15) for start, sign in ((0, -1), (2, 1), (4, 1), (6, -1))]
thrust = ", ".join(f"{{start_s: {t}, duration_s: {d}, force_N: [{60 * sign}, 0, 0]}}" for t, d, sign in pulses)
scenario = load("envisat_unforced_facility", [
    "duration_s=120", "rates_ms.arm=10", "rates_ms.dynamics=10", "client.angular_velocity_deg_s=[0,0,0]",
    f"onboard={{kind: scripted, thrust: [{thrust}]}}",
    "safety.data_age_ms=3000", "safety.stamp_gap_ms=off", "safety.late_tick_ms=off", "safety.lost_node_ms=3000"])
container = Container(scenario, False)
try:
    container.run()
finally:
    container.close()
"""


@pytest.fixture
def facility(monkeypatch):
    """A real one in another process, on a domain of its own."""
    pytest.importorskip("rclpy", reason="ROS 2 is not installed: 'make setup' brings the wheels")
    monkeypatch.setenv("ROS_DOMAIN_ID", DOMAIN)
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    process = subprocess.Popen([sys.executable, "-c", FACILITY], env=os.environ.copy())
    yield process
    process.kill()
    process.wait()


def test_stop_stops_a_live_run(browser, facility, monkeypatch):
    from hil_relative_dynamics.viewer import live
    from hil_relative_dynamics.viewer.live_page import LivePage

    monkeypatch.setattr(live, "PATIENCE", PATIENCE)
    with served("127.0.0.1", 0) as server, closing(live.Facility()) as heard:
        shown = LivePage(server, heard, control=True)
        link = shown.stage.handles["laboratory", "servicer_robot_link_6"]
        with kept_up(shown.step):
            page = opened(browser, server)
            start = np.array(link.position)
            until(lambda: np.linalg.norm(np.array(link.position) - start) > 5e-3, page, "the robot moves")
            assert shown._seen.alert == ""
            stop = page.get_by_role("button", name="Stop")
            until(stop.is_enabled, page, "the service is found")
            stop.click()
            until(lambda: "stop" in shown._seen.alert, page, "the facility says that it stopped")
            until(lambda: page.get_by_text(shown._seen.alert).count(), page, "the page says so")
            page.wait_for_timeout(1500)  # the ramp, and what the page lags behind
            rest = np.array(link.position)
            page.wait_for_timeout(500)
            assert np.linalg.norm(np.array(link.position) - rest) < 1e-4
            page.close()
    assert facility.poll() is None  # stopped, not dead
