"""What finds chunks for a question."""
