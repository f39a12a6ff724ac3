"""Failures, pools, positions, and the candidate repairs of each position."""
