"""Parts of captured hosts with typed facts."""
