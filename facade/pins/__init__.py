"""What is kept of the tools that servers declare."""
