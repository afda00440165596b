from pathlib import Path

import pytest

from .calling import Hil


@pytest.fixture
def hil(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hil:
    """In an empty folder, so that what is written shows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HIL_TRACEBACK", raising=False)
    return Hil(capfd)
