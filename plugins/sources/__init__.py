"""Where plugins come from: sources, entries, manifests, requirements. Pure, but for the reading of files."""
