"""The version, read by the packaging without importing the package."""

__version__ = "0.2.0"
