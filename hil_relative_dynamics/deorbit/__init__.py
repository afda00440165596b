"""De-orbiting through surface contact: a chaser that pushes a heavy target with nothing but its feet."""
