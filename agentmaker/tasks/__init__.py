"""What a task may see: sources bound to it, read by consumer and phase within a budget."""
