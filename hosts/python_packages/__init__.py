"""Python packages: their environments and pip."""
