"""Measure, judge, show: what a run leaves behind, and what proves the method."""
