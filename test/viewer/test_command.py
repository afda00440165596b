"""`hil view` on bad input: one sentence, status 2."""
import socket
import sys
import webbrowser

import pytest

from hil_relative_dynamics.cli import main


def refused(capsys, *arguments):
    assert main(["view", *map(str, arguments)]) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("hil view: ") and "\n" not in said and "Traceback" not in said
    return said


@pytest.mark.parametrize("arguments", [[], ["runs/x", "--live"]])
def test_a_run_or_live(capsys, arguments):
    assert "name the folder of a run, or give --live" in refused(capsys, *arguments)


def test_nothing_there(capsys, tmp_path):
    assert "is not the folder of a run" in refused(capsys, tmp_path / "nowhere")


def test_what_is_over_is_not_commanded(capsys, capture):
    assert "--control and --scenario go with --live" in refused(capsys, capture, "--control")


def test_without_viser(capsys, capture, monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    assert "pip install viser" in refused(capsys, capture)


def test_a_port_in_use(capsys, capture):
    pytest.importorskip("viser")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(capsys, capture, "--port", port)
    assert f"127.0.0.1:{port} (Address already in use)" in said and "--port" in said


@pytest.mark.parametrize("arguments", [["--port", "70000"], ["--host", "no.such.host.invalid"]])
def test_a_place_that_cannot_be(capsys, capture, arguments):
    pytest.importorskip("viser")
    assert arguments[1] in refused(capsys, capture, *arguments)


def test_no_browser(capsys, capture, monkeypatch):
    pytest.importorskip("viser")

    def none():
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    assert "there is no browser here: leave --open out and visit http://127.0.0.1:" in refused(
        capsys, capture, "--open", "--port", "0"
    )


def test_no_facility(capsys, monkeypatch):
    pytest.importorskip("viser")
    live = pytest.importorskip("hil_relative_dynamics.viewer.live", reason="ROS 2 is not installed")
    monkeypatch.setenv("ROS_DOMAIN_ID", "28")
    monkeypatch.setattr(live, "PATIENCE", 0.3)
    assert "no facility is running here" in refused(capsys, "--live", "--port", "0")
    said = refused(capsys, "--live", "--port", "0", "--scenario", "envisat_unforced")
    assert "nothing is heard on nominal" in said


def test_a_scenario_that_is_none(capsys):
    pytest.importorskip("rclpy")
    assert "nonsense" in refused(capsys, "--live", "--port", "0", "--scenario", "nonsense")
