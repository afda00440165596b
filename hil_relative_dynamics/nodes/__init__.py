"""Executables: each a block as a node of its own, and `facility`, which holds them all.

Nodes hold no formula: they convert, call `step`, convert back (`ros/stage_runner.py`).
"""
