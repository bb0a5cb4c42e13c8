"""Cases from a repository's own history: what a commit says → the units it changed."""
