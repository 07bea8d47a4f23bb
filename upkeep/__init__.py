"""How well the tests hold the code: branches that they reach, and defects put in on purpose that they find."""
