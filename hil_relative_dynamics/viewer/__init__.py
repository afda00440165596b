"""The browser page: a run replayed, or a running facility live."""
