"""What a schema, a call and a result mean, in every wire format."""
