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
    raise RuntimeError("not there yet")
