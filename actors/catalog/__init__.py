"""What a board offers: tools and their schemas."""
