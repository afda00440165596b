"""ROS 2: messages, QoS, parameters, composition, lockstep. The only layer that knows ROS types."""
