"""What is remembered from one call to the next, bounded."""
