"""What a row of the table of runs says: its rate, its circumstances, and which runs repeat one test."""
