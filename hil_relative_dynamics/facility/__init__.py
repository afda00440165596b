"""The laboratory: what stands on the ground and moves."""
