"""What a run says, in the terminal, as Markdown and as HTML."""
