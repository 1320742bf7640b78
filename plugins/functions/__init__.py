"""Functions as tools: a signature and a docstring make the schema."""
