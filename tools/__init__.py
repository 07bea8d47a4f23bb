"""Programs of the checkout: its environment, what its packages are, and what is known against them."""
