"""Structured notes: where they are kept, how they are found, and the tools to keep them."""
