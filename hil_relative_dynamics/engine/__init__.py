"""Runs a scenario without ROS: the table of blocks, wired by direct calls."""
