"""From an orbit to the latched port and back (paper 002): guidance, hand-over, gripper, contact, sequences."""
