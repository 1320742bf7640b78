"""How plugins are loaded into a generation: load, init, prepare, schemas."""
