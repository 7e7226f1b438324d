"""What a task can be bound to: folders, records, skills and sessions."""
