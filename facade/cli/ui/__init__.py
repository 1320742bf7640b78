"""What commands share: streams, signals, rows, approval."""
