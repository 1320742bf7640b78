"""Fault schedules: drawn, followed, and what a fault makes of an answer."""
