"""The servicer from its robot description, refused where no such body can be."""
from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pinocchio as pin

from hil_relative_dynamics.bodies import FreeFlyer
from hil_relative_dynamics.scenario import ScenarioError
from hil_relative_dynamics.scenario.bodies import Servicer


def free_flyer(servicer: Servicer) -> FreeFlyer:
    """Base and arm. Raises ScenarioError with what the URDF parser would print, or with the body at fault."""
    with _captured_stderr() as printed:
        try:
            body = FreeFlyer.from_urdf(servicer.urdf, servicer.end_effector)
        except ScenarioError as error:
            reason = re.search(r"Error:\s*(.*)", printed())
            if reason is None:
                raise
            allowed = f"must be a URDF that loads ({reason[1].strip()})"
            raise ScenarioError(error.file, error.key, error.value, allowed) from None
    _check(servicer, body)
    return body


def _check(servicer: Servicer, body: FreeFlyer) -> None:
    """What is rigidly joined counts as one body: a massless link is no fault."""
    names = ["the base", *(f"what {name} carries" for name in body.joint_names)]
    for name, inertia in zip(names, list(body.model.inertias)[1:]):
        problem = _problem(inertia)
        if problem:
            allowed = f"must hold bodies that can be, and {name} has {problem}"
            raise ScenarioError(servicer.urdf, "", None, allowed)


def _problem(inertia: pin.Inertia) -> str:
    if not inertia.mass >= 0.0:  # also catches NaN
        return f"a mass of {inertia.mass:g} kg"
    moments = np.linalg.eigvalsh(inertia.inertia)
    shown = f"principal moments of {', '.join(f'{moment:.6g}' for moment in moments)} kg m^2"
    slack = 1e-9 * (abs(moments[2]) + 1e-12)
    if not moments[0] >= -slack:
        return f"an inertia that is not positive definite ({shown})"
    if not moments[0] + moments[1] >= moments[2] - slack:
        return f"an inertia that breaks the triangle inequality ({shown})"
    return ""


@contextmanager
def _captured_stderr() -> Iterator[Callable[[], str]]:
    """What C++ writes to standard error meanwhile; what was not asked for is dropped."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)

        def printed() -> str:
            file.seek(0)
            return file.read().decode(errors="replace")

        try:
            yield printed
        finally:
            os.dup2(kept, 2)
            os.close(kept)
