"""The forms in which servers take a conversation."""
