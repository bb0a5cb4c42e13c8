"""Retrieval evaluation: does the right chunk come back, how high, and when it does not, why?"""
