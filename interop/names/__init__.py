"""Names and ids, and how each provider spells them."""
