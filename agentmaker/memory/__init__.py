"""What outlives a request: conversations, the state of runs, texts put away, notes."""
