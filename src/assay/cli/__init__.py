"""The command line: `main` and one file for each command, with no logic of their own."""
