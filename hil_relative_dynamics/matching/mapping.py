"""Relative mapping: what is measured in the laboratory as motion in orbit, eq. (23)."""
from __future__ import annotations

from hil_relative_dynamics.kernels import Workspace, function
from hil_relative_dynamics.spatial import SAMPLE_SIZE, MotionSample

_map_to_orbit = function("map_to_orbit", pointers=1)


class RelativeMapping:
    r"""Client and servicer in orbit from what the robots do.

    \( \tilde g_t = g_n \tilde g_c,\; \tilde V_t = \tilde V_c + Ad_{\tilde g_c^{-1}} V_n \), and so for the servicer.
    """

    def __init__(self) -> None:
        self._memory = Workspace(
            nominal=SAMPLE_SIZE, client=SAMPLE_SIZE, servicer=SAMPLE_SIZE, absolute=(2, SAMPLE_SIZE)
        )

    def step(
        self, nominal: MotionSample, client: MotionSample, servicer: MotionSample
    ) -> tuple[MotionSample, MotionSample]:
        """Absolute motion of client and servicer from their measured motion relative to the nominal."""
        memory = self._memory
        memory.nominal[...] = nominal.array
        memory.client[...] = client.array
        memory.servicer[...] = servicer.array
        _map_to_orbit(memory.address)
        absolute = memory.absolute.copy()
        return MotionSample(absolute[0]), MotionSample(absolute[1])
