"""The page without a browser: what the server holds is what a browser would show."""
import numpy as np
import pytest

pytest.importorskip("viser", reason="viser is not installed: 'make setup' installs it")

from hil_relative_dynamics.viewer.replay import Replay
from hil_relative_dynamics.viewer.replay_page import ReplayPage
from hil_relative_dynamics.viewer.server import RATE, SLOWLY, address_of, keep_pace, served
from hil_relative_dynamics.viewer.stage import FIELD, NARROW, SCALE, VIEWS, aim


@pytest.fixture(scope="module")
def server():
    with served("127.0.0.1", 0) as server:
        yield server


@pytest.fixture
def page(server, capture):
    server.scene.reset()
    server.gui.reset()
    return ReplayPage(server, Replay(capture))


def where(page, view, name):
    return np.array(page.stage.handles[view, name].position)


def test_it_is_on_this_machine_only(server):
    assert address_of(server).startswith("http://127.0.0.1:")


def test_both_views_are_there(page):
    page.step(0.0)
    names = {view: {name for place, name in page.stage.handles if place == view} for view in SCALE}
    robots = {f"{robot}_link_{joint}" for robot in ("client_robot", "servicer_robot") for joint in range(1, 7)}
    assert names["laboratory"] >= robots | {"arm_link_7", "client_robot_client_mockup", "workspace", "trail_gripper"}
    assert names["orbit"] >= {"client", "nominal", "servicer_base_link", "servicer_link_7", "force_thrust"}


def test_time_moves_the_robots(page):
    page.player.playing = False
    page.step(0.0)
    before = where(page, "laboratory", "servicer_robot_link_6"), where(page, "orbit", "servicer_base_link")
    page.player.seek(page.player.duration)
    page.step(0.0)
    after = where(page, "laboratory", "servicer_robot_link_6"), where(page, "orbit", "servicer_base_link")
    assert np.linalg.norm(after[0] - before[0]) > 1e-3
    assert np.linalg.norm(after[1] - before[1]) > 0.05
    assert page.controls.slider.value == pytest.approx(page.player.duration, abs=0.01)
    assert page.controls.button.label == "Play"


@pytest.mark.parametrize("playing", [True, False])
def test_the_slider_is_obeyed(page, playing):
    page.player.playing = playing
    for _ in range(3):
        page.step(0.01)
    page.controls.slider.value = 1.5  # as a person would
    page.step(0.01)
    assert page.player.time == pytest.approx(1.51 if playing else 1.5)
    assert page.controls.slider.value == pytest.approx(page.player.time)


def test_the_orbit_is_drawn_to_its_scale(page):
    page.step(0.0)
    seen = page._replay.at(page.player.time)
    drawn = where(page, "orbit", "servicer_base_link") - where(page, "orbit", "client")
    true = seen.servicer.translation - seen.client.translation
    np.testing.assert_allclose(drawn, SCALE["orbit"] * true, atol=1e-6)


def test_trails_grow_and_begin_anew_when_time_jumps_back(page):
    page.player.loop = False
    for _ in range(45):
        page.step(1.0 / RATE)
    trail = page.stage.handles["orbit", "trail_servicer"]
    assert len(trail.points) >= 6
    page.player.seek(0.0)
    page.step(0.0)
    assert len(trail.points) == 0


def test_the_ghost_hides_where_the_client_is(page):
    page.step(0.0)
    assert not page.stage.handles["orbit", "nominal"].visible  # nothing has touched the client


def test_a_run_without_robots_is_shown_too(server, unforced):
    server.scene.reset()
    server.gui.reset()
    page = ReplayPage(server, Replay(unforced))
    page.step(0.1)
    names = {name for view, name in page.stage.handles if view == "laboratory"}
    assert "client_robot_client_mockup" in names and not any("link_6" in name and "robot" in name for name in names)


class Camera:
    def __init__(self, width, height):
        self.image_width, self.image_height = width, height


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("size", [(1280, 800), (420, 800), (800, 600), (1920, 1080)])
def test_a_camera_sees_all_of_a_view(view, size):
    camera = Camera(*size)
    aim(camera, view)
    middle, half = VIEWS[view]
    distance = np.linalg.norm(camera.position - camera.look_at)
    across = distance * np.tan(FIELD / 2) * size[0] / size[1]
    assert across >= half * (1.0 - 1e-9)
    # on a narrow window the controls cover its lower part: the middle has to be above them
    assert (camera.look_at[2] < middle[2]) == (size[0] < NARROW)


def test_the_pace_is_kept_and_can_be_ended():
    steps = []

    def step(elapsed):
        steps.append(elapsed)
        return len(steps) < 4

    keep_pace(step, period=0.01)
    assert len(steps) == 4 and min(steps[1:]) >= 0.009
    assert SLOWLY > 1.0 / RATE
