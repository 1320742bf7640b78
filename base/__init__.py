"""What every room stands on: errors, frozen values, JSON, validation of arguments, suggestions, paths."""
