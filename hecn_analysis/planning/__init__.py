"""What to change, what to buy, what to test next: prediction asked many times.

`change` ranks changes to a host, path or tool by what they gain; `purchase` finds the cheapest parts that reach a
throughput; `roadmap` follows a programme of milestones; `forecast` says when ports are full; `matrix` plans tests;
`studies` makes the tables that notebooks discuss.
"""
