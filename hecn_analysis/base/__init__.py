"""What every room stands on: errors, units, tables, records, progress, places and the like."""
