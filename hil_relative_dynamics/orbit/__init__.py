"""Relative motion in orbit: two-body orbits, the nonlinear equations in LVLH axes and their linear transitions.

LVLH axes of the target: x radial (outwards), y along-track, z cross-track (along the orbital momentum).
"""
