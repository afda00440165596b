"""`hil view`"""
from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import Any

from hil_relative_dynamics.commands.terminal import output
from hil_relative_dynamics.scenario import load


def main(options: Namespace) -> int:
    """Serves the page until Ctrl-C."""
    if options.live == bool(options.run):
        raise ValueError("name the folder of a run, or give --live for a facility that is running; not both")
    return _live(options) if options.live else _replay(options)


def _replay(options: Namespace) -> int:
    from hil_relative_dynamics.viewer.replay import Replay
    from hil_relative_dynamics.viewer.replay_page import ReplayPage
    from hil_relative_dynamics.viewer.server import keep_pace, served

    if options.control or options.scenario:
        raise ValueError("--control and --scenario go with --live: a run that is over cannot be commanded")
    replay = Replay(Path(options.run))
    with served(options.host, options.port) as server:
        page = ReplayPage(server, replay)
        _invite(server, options)
        keep_pace(page.step)
    return 0


def _live(options: Namespace) -> int:
    from hil_relative_dynamics.viewer.server import RATE, keep_pace, served

    try:
        from hil_relative_dynamics.viewer.live import Facility
        from hil_relative_dynamics.viewer.live_page import LivePage
    except ImportError as error:
        raise RuntimeError(f"ROS 2 is not here ({error}): run 'hil doctor'; runs that are over can be shown") from None
    scenario = load(options.scenario) if options.scenario else None
    with served(options.host, options.port) as server, closing(Facility(scenario)) as facility:
        page = LivePage(server, facility, options.control)
        _invite(server, options)
        keep_pace(page.step, 0.5 / RATE)  # twice as often as something new comes
    return 0


def _invite(server: Any, options: Namespace) -> None:
    from hil_relative_dynamics.viewer.server import address_of, open_browser

    address = address_of(server)
    output.print(f"the page is at {address}; Ctrl-C ends it", soft_wrap=True)
    if options.open:
        open_browser(address)
