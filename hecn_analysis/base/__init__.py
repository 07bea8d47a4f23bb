"""The foundation of all other packages: errors, units, tables, records, progress, places and the like."""
