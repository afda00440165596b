"""Nodes to begin your own from: plain rclpy and numpy, nothing of this package."""
