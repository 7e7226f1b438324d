"""Clients of a model: ours, and the engine around the ones you have."""
