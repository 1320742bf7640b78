"""One model request: tools, extensions and provider."""
