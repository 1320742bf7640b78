"""Node packages made ready to run: fetched, installed and built in a cache, never in their owner's folder."""
