"""`hil doctor` tells of what figures, recordings, the viewer and validation want, and how to get it."""
import importlib.util

import pytest

from hil_relative_dynamics import doctor

EXTRAS = ("matplotlib", "mcap", "viser", "mujoco")


@pytest.mark.parametrize("missing", EXTRAS)
def test_what_is_missing_is_told_with_its_remedy(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else find(name))
    findings = {finding.name: finding for finding in doctor.examine()}
    assert findings[missing].state == "optional" and findings[missing].found == "not found"
    assert f"pip install {missing}" in findings[missing].remedy
    for other in set(EXTRAS) - {missing}:
        assert (findings[other].state == "ok") == (find(other) is not None)
