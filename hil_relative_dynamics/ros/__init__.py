"""ROS 2: messages, QoS, parameters, composition, lockstep. The only layer that knows ROS types."""
import os

# Fast DDS shares memory between processes unless told otherwise, and a process that is killed leaves locks behind in
# it: every message to it then blocks its sender for 100 ms. Sockets do not outlive their process. Nodes of one process
# hand messages over without either.
os.environ.setdefault("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4")
