"""Open software for robotic hardware-in-the-loop facilities that rehearse on-orbit servicing."""

__version__ = "0.1.0"
