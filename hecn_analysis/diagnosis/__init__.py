"""The verdict on a folder: what limits its runs, with what probability, what to change, and what to ask next."""
