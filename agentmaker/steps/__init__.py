"""The steps that prepare a window, in the order they run."""
