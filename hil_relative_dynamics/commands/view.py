"""`hil view`"""
from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from hil_relative_dynamics.commands.terminal import output


def main(options: Namespace) -> int:
    """Serves the page until Ctrl-C."""
    if options.live == bool(options.run):
        raise ValueError("name the folder of a run, or give --live for a facility that is running; not both")
    return _live(options) if options.live else _replay(options)


def _replay(options: Namespace) -> int:
    from hil_relative_dynamics.viewer.replay import Replay
    from hil_relative_dynamics.viewer.replay_page import ReplayPage
    from hil_relative_dynamics.viewer.server import keep_pace, open_server

    if options.control:
        raise ValueError("--control goes with --live: a run that is over cannot be commanded")
    replay = Replay(Path(options.run))
    server = open_server(options.host, options.port)
    page = ReplayPage(server, replay)
    _invite(server, options)
    keep_pace(page.step)
    return 0


def _invite(server: object, options: Namespace) -> None:
    from hil_relative_dynamics.viewer.server import address_of, open_browser

    address = address_of(server)
    output.print(f"the page is at {address}; Ctrl-C ends it", soft_wrap=True)
    if options.open:
        open_browser(address)


def _live(options: Namespace) -> int:
    from hil_relative_dynamics.scenario import load
    from hil_relative_dynamics.viewer.server import RATE, keep_pace, open_server

    try:
        from hil_relative_dynamics.viewer.live import Facility
        from hil_relative_dynamics.viewer.live_page import LivePage
    except ImportError as error:
        raise RuntimeError(f"ROS 2 is not here ({error}): run 'hil doctor'; runs that are over can be shown") from None
    scenario = load(options.scenario) if options.scenario else None
    server = open_server(options.host, options.port)
    facility = Facility(scenario)
    try:
        page = LivePage(server, facility, options.control)
        _invite(server, options)
        keep_pace(page.step, 0.5 / RATE)  # twice as often as something new comes
    finally:
        facility.close()
    return 0
