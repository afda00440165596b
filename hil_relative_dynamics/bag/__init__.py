"""Recordings as rosbag2 has them: a folder with an MCAP file and metadata.yaml, written and read without ROS."""

#: the folder of a run in which its recording is
RECORDING = "recording"
