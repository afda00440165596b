"""Bring-up: which processes make up the facility, as data.

The launch files and the `hil` command start what is said here. Only `actions` imports launch, and only launch
files import `actions`.
"""
from hil_relative_dynamics.bringup.arguments import ARGUMENTS, DEVICES, ROBOTS, Argument
from hil_relative_dynamics.bringup.description import description, publisher
from hil_relative_dynamics.bringup.devices import Driver, Include, driver
from hil_relative_dynamics.bringup.errors import BringupError
from hil_relative_dynamics.bringup.facility import processes
from hil_relative_dynamics.bringup.options import Options, read
from hil_relative_dynamics.bringup.process import Process

__all__ = [
    "ARGUMENTS",
    "DEVICES",
    "ROBOTS",
    "Argument",
    "BringupError",
    "Driver",
    "Include",
    "Options",
    "Process",
    "description",
    "driver",
    "processes",
    "publisher",
    "read",
]
