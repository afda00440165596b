"""The three-dimensional part of the page: laboratory and orbit side by side in one scene."""
from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.engine.world import World
from hil_relative_dynamics.scene.places import ARROW, ORBIT_PLACE, ORBIT_SCALE, Laboratory, Orbit
from hil_relative_dynamics.scene.shapes import Shape, merged
from hil_relative_dynamics.scene.snapshot import Snapshot

SCALE = {"laboratory": 1.0, "orbit": ORBIT_SCALE}
PLACE = {"laboratory": np.zeros(3), "orbit": ORBIT_PLACE}
#: a trail: so many points, each so far in time from the one before [s]
TRAIL, TRAIL_PERIOD = 150, 0.2
#: what leaves a trail, and its colour
TRAILS = {
    "laboratory": {"grasp_point": (0, 114, 178), "gripper": (213, 94, 0)},
    "orbit": {"grasp_point": (0, 114, 178), "servicer": (213, 94, 0)},
}
CONTACT, THRUST = (204, 0, 60), (0, 158, 115)
#: what a camera has to see of each view: its middle and half its width [m]
VIEWS = {
    "Side by side": (np.array([7.7, 0.0, 1.6]), 11.0),
    "Laboratory": (np.array([2.45, 0.0, 1.2]), 3.6),
    "Orbit": (PLACE["orbit"], 5.6),
}
FIELD = 0.7  # of view, vertically [rad]
NARROW = 576  # windows of less are narrow to viser [px]
FROM = np.array([0.0, -np.cos(0.35), np.sin(0.35)])  # direction from the middle to the camera


class Stage:
    """Puts the bodies into a viser server and moves them.

    Attributes:
        handles: by view and body, what viser moves.
        ghost: whether the client is shown where it would be nominally, once it is elsewhere.
    """

    def __init__(self, server: Any, world: World) -> None:
        self._scene = server.scene
        self.laboratory, self.orbit = Laboratory(world), Orbit(world)
        self.handles: dict[tuple[str, str], Any] = {}
        self._trails = {(view, name): deque(maxlen=TRAIL) for view in TRAILS for name in TRAILS[view]}
        self._trail_until = -np.inf
        self._riding, self.ghost = False, True
        self._scene.set_up_direction("+z")
        self._scene.configure_default_lights(cast_shadow=False)
        for view, bodies in (("laboratory", self.laboratory.bodies), ("orbit", self.orbit.bodies)):
            self._scene.add_frame(f"/{view}", show_axes=False, position=PLACE[view])
            for name, shapes in bodies.items():
                self._add_body(view, name, shapes)
            for name, colour in TRAILS[view].items():
                self.handles[view, f"trail_{name}"] = self._lines(view, f"trail_{name}", _nothing(), colour, 2.5)
            for name, colour in (("force_contact", CONTACT), ("force_thrust", THRUST)):
                self.handles[view, name] = self._scene.add_arrows(
                    f"/{view}/{name}", _nothing(), colour, shaft_radius=0.025, head_radius=0.06, head_length=0.14
                )
        self._add_surroundings()

    def _add_body(self, view: str, name: str, shapes: list[Shape]) -> None:
        self.handles[view, name] = self._scene.add_frame(f"/{view}/{name}", show_axes=False)
        for number, colour in enumerate(dict.fromkeys(shape.colour for shape in shapes)):
            vertices, faces = merged(shape for shape in shapes if shape.colour == colour)
            self._scene.add_mesh_simple(
                f"/{view}/{name}/{number}",
                SCALE[view] * vertices,
                faces,
                color=colour[:3],
                opacity=colour[3] if colour[3] < 1.0 else None,
                flat_shading=True,
                cast_shadow=False,
            )

    def _add_surroundings(self) -> None:
        scene = self._scene
        scene.add_grid("/laboratory/floor", 9.0, 6.0, position=(2.45, 0.0, 0.0), cell_size=1.0, section_size=3.0,
                       plane_color=(236, 238, 240), plane_opacity=0.6, shadow_opacity=0.0)
        if self.laboratory.workspace is not None:
            edges = _edges(*self.laboratory.workspace)
            lines = self._lines("laboratory", "workspace", edges, (150, 150, 160), 1.0)
            self.handles["laboratory", "workspace"] = lines
        scene.add_frame("/orbit/axes", axes_length=0.7, axes_radius=0.012, position=(0.0, 0.0, 0.0))
        robots = "robots" if self.laboratory.with_robots else "ideal: no robots"
        scene.add_label("/laboratory/name", f"Laboratory ({robots}), grid 1 m", position=(2.45, -1.5, -0.25),
                        anchor="top-center")
        scene.add_label("/orbit/name", "Orbit, drawn 1:2", position=(0.0, -1.5, -4.3), anchor="top-center")
        scene.add_label("/orbit/client/name", "client", position=(0.0, 0.0, 0.55), anchor="bottom-center")
        scene.add_label("/orbit/servicer_base_link/name", "servicer", position=(0.0, 0.0, 0.8), anchor="bottom-center")

    def _lines(self, view: str, name: str, points: np.ndarray, colour: tuple[int, int, int], width: float) -> Any:
        return self._scene.add_line_segments(
            f"/{view}/{name}", points, colour, thickness=width, thickness_units="screen"
        )

    def show(self, seen: Snapshot, riding: bool = False) -> None:
        """Moves everything to where it was then; riding: the orbit as seen from the nominal frame."""
        places = {"laboratory": self.laboratory.place(seen), "orbit": self.orbit.place(seen, riding)}
        for view, poses in places.items():
            for name, pose in poses.items():
                if (view, name) in self.handles:
                    _move(self.handles[view, name], pose, SCALE[view])
        self._show_forces(seen, places)
        self._show_ghost(seen)
        if riding != self._riding:
            self._riding = riding
            self.forget()
        self._leave_trails(seen.time, places)

    def _show_ghost(self, seen: Snapshot) -> None:
        """Only where it is somewhere else: two bodies in one place look like neither."""
        visible = self.ghost and seen.left_nominal
        handle = self.handles["orbit", "nominal"]
        if handle.visible != visible:
            handle.visible = visible

    def forget(self) -> None:
        """Time jumped: trails begin anew."""
        self._trail_until = -np.inf
        for trail in self._trails.values():
            trail.clear()

    def _show_forces(self, seen: Snapshot, places: dict[str, dict[str, pin.SE3]]) -> None:
        on_grasp_point = self.orbit.pose_grasp_point.rotation.T @ seen.wrench_client.linear
        for view, poses in places.items():
            pose = poses["grasp_point"]
            self._point(view, "force_contact", pose, on_grasp_point)
        self._point("orbit", "force_thrust", places["orbit"]["servicer"], seen.thrust.linear)

    def _point(self, view: str, name: str, pose: pin.SE3, force: np.ndarray) -> None:
        """An arrow that ends where the force acts."""
        handle, visible = self.handles[view, name], bool(np.linalg.norm(force) > 0.5)
        if visible:
            end = SCALE[view] * pose.translation
            handle.points = np.array([[end - ARROW * (pose.rotation @ force), end]], dtype=np.float32)
        elif len(handle.points):
            handle.points = _nothing()

    def _leave_trails(self, time: float, places: dict[str, dict[str, pin.SE3]]) -> None:
        if time < self._trail_until - 2.0 * TRAIL_PERIOD:
            self.forget()
        if time < self._trail_until:
            return
        self._trail_until = time + TRAIL_PERIOD
        for (view, name), trail in self._trails.items():
            trail.append(SCALE[view] * places[view][name].translation)
            points = np.array(trail, dtype=np.float32)
            self.handles[view, f"trail_{name}"].points = np.stack([points[:-1], points[1:]], axis=1)

    def group(self, *names: str) -> Iterator[Any]:
        """Handles of both views whose name begins with one of these."""
        return (handle for (_, name), handle in self.handles.items() if name.startswith(names))


def aim(camera: Any, view: str, covered: float = 0.0) -> None:
    """Puts a camera where it sees all of a view, however narrow its window.

    `covered`: how much of the window's width the controls are about to take [px]. On a narrow window they take no
    width but the lower 60 % of its height: what is looked at goes above them.
    """
    middle, half = VIEWS[view]
    narrow = camera.image_width < NARROW
    aspect = (camera.image_width - (0.0 if narrow else covered)) / max(camera.image_height, 1)
    distance = half / np.tan(FIELD / 2) / min(max(aspect, 0.2), 1.6)
    lowered = np.array([0.0, 0.0, -0.6 * distance * np.tan(FIELD / 2) if narrow else 0.0])
    camera.fov = FIELD
    camera.position = middle + lowered + distance * FROM
    camera.look_at = middle + lowered


def _move(handle: Any, pose: pin.SE3, scale: float) -> None:
    x, y, z, w = pin.Quaternion(pose.rotation).coeffs()
    handle.position, handle.wxyz = scale * pose.translation, (w, x, y, z)


def _nothing() -> np.ndarray:
    return np.zeros((0, 2, 3), dtype=np.float32)


def _edges(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The twelve edges of a box."""
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8) if abs(corners[a] - corners[b]).sum() == 1]
    points = lower + corners * (upper - lower)
    return np.array([[points[a], points[b]] for a, b in pairs], dtype=np.float32)
