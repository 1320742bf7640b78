"""Which kinds of plugin sources there are, and the entries of a configuration that name them. Pure, but for a look at a path that was meant otherwise."""
