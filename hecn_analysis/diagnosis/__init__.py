"""The verdict of a folder: what holds its runs back, how sure that is, what to change, what to ask next."""
