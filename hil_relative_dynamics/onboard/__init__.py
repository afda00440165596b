"""On-board software: what decides on thrust and joint torque. A user's own takes its place."""
