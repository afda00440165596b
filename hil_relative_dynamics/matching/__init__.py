"""The method: Lagrangian matching relative to a nominal motion.

Each module is one law as a block: `step` is what a sampled facility does (inputs held over the step),
`derivative` is the pure right-hand side, so that a coupled system can be integrated as one.
"""
