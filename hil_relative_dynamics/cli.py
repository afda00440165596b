"""The `hil` command."""
from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from hil_relative_dynamics import __version__

#: exit status of a command that was asked for something that cannot be
BAD_INPUT = 2

EPILOG = """\
examples:
  hil list                                       what can be run
  hil run envisat_pulses                         run a scenario; writes runs/envisat_pulses-<time>/
  hil run envisat_pulses --set 'client.angular_velocity_deg_s=[0,-5,0]' --set rates_ms.dynamics=4
  hil view runs/envisat_pulses-<time>            look at it in a browser; --live: at what is running
  hil report runs/envisat_pulses-<time>          its figures and report.html once more
  hil compare runs/<one> runs/<other>            how two runs differ
  hil validate method                            the physics against MuJoCo and closed forms
  hil bench method --json                        what a tick costs
  hil doctor                                     what this machine has and what is missing

exit status: 0 all well, 1 a criterion, check or run failed, 2 bad input, 130 interrupted
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Parses, runs one command and turns refusals into one sentence and a status."""
    # A demo or a test neither reaches nor hears anything outside the machine; a user opens it up explicitly.
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    options = _parser().parse_args(arguments)
    try:
        command = import_module(f"hil_relative_dynamics.commands.{options.command}")
        return int(command.main(options))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader went away, as in `hil list | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ImportError, ValueError, RuntimeError, OSError) as error:
        if os.environ.get("HIL_TRACEBACK"):
            raise
        print(f"hil {options.command}: {_sentence(error)}", file=sys.stderr)
        return BAD_INPUT


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hil",
        description="Hardware-in-the-loop rehearsal of on-orbit servicing: orbital dynamics relative to a"
        " nominal motion, flown by industrial robots.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"hil_relative_dynamics {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    _add(commands, "list", "list the scenarios that come with the package")

    run = _add(commands, "run", "run a scenario and write what it showed")
    run.add_argument("scenario", help="name of a shipped scenario ('hil list') or path of a YAML file")
    run.add_argument(
        "--set",
        dest="overrides",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="change one value, e.g. --set duration_s=20 or --set 'external_wrenches.0.force_N=[5,0,0]';"
        " repeatable",
    )
    run.add_argument(
        "--out", metavar="DIR", default="runs", help="where the run's folder is made (default: %(default)s)"
    )
    run.add_argument(
        "--mode",
        choices=("offline", "lockstep", "realtime"),
        default="offline",
        help="offline: direct calls, as fast as it goes; lockstep: ROS 2 nodes that wait for each other, the same"
        " numbers to the last bit; realtime: ROS 2 nodes by the clock (default: %(default)s)",
    )
    run.add_argument(
        "--onboard",
        choices=("reference", "external"),
        default="reference",
        help="external: a node of your own, which you start yourself, is the on-board software; with lockstep and"
        " realtime (default: %(default)s)",
    )
    run.add_argument(
        "--record",
        metavar="TOPICS",
        default="all",
        help="which topics to record as a rosbag2 MCAP in the run's folder: all, none, or names separated by commas"
        " (default: %(default)s)",
    )
    run.add_argument("--no-figure", action="store_true", help="draw no figures and write no report.html")

    report = _add(commands, "report", "draw the figures of a run and write its report.html")
    report.add_argument("run", metavar="RUN", help="folder of a run, also of one that was killed")

    compare = _add(commands, "compare", "show how two runs differ: configuration, numbers, figures")
    compare.add_argument("runs", metavar="RUN", nargs=2, help="folder of a run")
    compare.add_argument(
        "--out", metavar="DIR", help="folder for compare.html (default: beside the second run, named after both)"
    )

    validate = _add(commands, "validate", "check the physics against what nobody here wrote")
    _group_and_json(validate, "method, facility, capture, flexible, deorbit, rendezvous, multirotor")
    _group_and_json(_add(commands, "bench", "measure what the method and its loop cost"), "method, loop")

    view = _add(commands, "view", "show a run, or a facility that is running, in a browser")
    view.add_argument("run", nargs="?", metavar="RUN", help="folder of a run, as 'hil run' names it at its end")
    view.add_argument("--live", action="store_true", help="show the facility that is running instead")
    view.add_argument("--control", action="store_true", help="with --live: buttons that home, start, stop and tare")
    view.add_argument("--scenario", help="with --live: what is running, where the facility itself does not tell")
    view.add_argument("--host", default="127.0.0.1", help="who may look: 0.0.0.0 is everybody (default: %(default)s)")
    view.add_argument("--port", type=int, default=8080, help="0: any that is free (default: %(default)s)")
    view.add_argument("--open", action="store_true", help="open the page in this machine's browser")

    doctor = _add(commands, "doctor", "say what this machine has, what is missing and how to get it")
    doctor.add_argument("--json", action="store_true", help="print a list of objects instead of text")
    return parser


def _add(commands: Any, name: str, purpose: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}."
    )
    return parser


def _group_and_json(parser: argparse.ArgumentParser, groups: str) -> None:
    parser.add_argument("group", nargs="?", help=f"which group: {groups} (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


if __name__ == "__main__":
    sys.exit(main())
