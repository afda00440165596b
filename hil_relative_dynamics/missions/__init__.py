"""Missions besides servicing: each runs by itself, offline, and leaves a recording, numbers and figures."""
