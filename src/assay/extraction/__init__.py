"""Extraction: are the right records pulled out of a text, all of them and nothing else?"""
