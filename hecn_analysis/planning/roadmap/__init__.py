"""Milestones of a programme: which build reaches which target, and when."""
