"""Relative mapping: what is measured in the laboratory as motion in orbit, eq. (23)."""
from __future__ import annotations

from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.spatial import SAMPLE_SIZE, MotionSample

_map_to_orbit = function("map_to_orbit", pointers=3)


class RelativeMapping:
    r"""\( \tilde g_t = g_n \tilde g_c,\; \tilde V_t = \tilde V_c + Ad_{\tilde g_c^{-1}} V_n \), and the same for the servicer."""

    def __init__(self) -> None:
        self._memory = Workspace(nominal=SAMPLE_SIZE, measured=SAMPLE_SIZE, absolute=SAMPLE_SIZE)
        address = self._memory.address
        self._arguments = (address, address + 8 * SAMPLE_SIZE, address + 16 * SAMPLE_SIZE)

    def step(self, nominal: MotionSample, measured: MotionSample) -> MotionSample:
        memory = self._memory
        memory.nominal[:] = nominal.array
        memory.measured[:] = measured.array
        _map_to_orbit(*self._arguments)
        return MotionSample(memory.absolute.copy())
