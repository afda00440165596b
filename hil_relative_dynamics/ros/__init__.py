"""ROS 2: messages, QoS, parameters, composition, lockstep. The only layer that knows ROS types."""
import os

from hil_relative_dynamics.scenario.share import share

# Fast DDS shares memory between processes unless told otherwise, and a process that is killed leaves locks behind in
# it, on which whoever sends to it waits. Sockets do not outlive their process. Nodes of one process hand messages over
# without either. On this machine alone rmw_fastrtps chooses the transports itself, and only the locators can be said.
os.environ.setdefault("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4")
if os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST":
    os.environ.setdefault("FASTDDS_DEFAULT_PROFILES_FILE", str(share() / "config" / "fastdds_sockets.xml"))
