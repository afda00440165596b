"""Physics of bodies in space: a rigid body, and a free-flying base with an arm."""
from hil_relative_dynamics.bodies.free_flyer import FreeFlyer
from hil_relative_dynamics.bodies.rigid_body import RigidBody

__all__ = ["FreeFlyer", "RigidBody"]
