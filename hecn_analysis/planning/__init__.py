"""What to change, what to buy, what to test next, from many predictions.

`change` ranks changes to a host, path or tool by gain; `purchase` finds the cheapest parts that reach a throughput;
`roadmap` follows a programme of milestones; `forecast` predicts when ports are full; `matrix` plans tests; `site` plans
for several transfers: schedules, failures, growth; `studies` makes the tables of the notebooks.
"""
