"""What a server says when it refuses, whatever its words."""
