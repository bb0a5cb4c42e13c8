"""What can be under test, a file for each kind."""
