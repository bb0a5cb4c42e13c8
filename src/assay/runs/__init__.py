"""Run folders, baselines and history."""
