"""The numbers by which a capture is judged."""
from __future__ import annotations

from math import degrees

import numpy as np

from hil_relative_dynamics.evidence.capture import CaptureStory


def measure_capture(story: CaptureStory) -> dict[str, float]:
    """By the keys of the criteria and in their units; what did not happen is NaN and fails."""
    return {
        "synchronised_by_s": story.synchronised,
        "grasp_by_s": story.latched,
        "relative_rate_deg_s": degrees(story.largest_rate()),
        "contact_force_N": story.largest_contact,
        "robot_displacement_m": float(np.max(story.displacements)),
        "contact_energy_J": float(np.max(story.energy.brought_in)),
    }
