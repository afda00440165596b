"""What a run looks like: shapes of bodies and where they are, for the browser page and for RViz alike."""
