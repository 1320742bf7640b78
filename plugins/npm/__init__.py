"""Packages of an npm registry as plugin sources. Pure."""
