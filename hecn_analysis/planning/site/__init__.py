"""Plans for a site: schedules that meet deadlines, what a failure costs, and what growth needs."""
