"""Loops over a model: each is thin, because windows, limits and recovery live in the call path."""
