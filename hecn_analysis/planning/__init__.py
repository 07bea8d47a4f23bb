"""What to change, what to buy, what to test next: prediction asked many times.

`whatif` varies keys of a scenario, `changes` knows what can be changed on a host, path or tool and how, `advise` ranks
those changes by what they would gain. `purchase` finds the cheapest parts of `offers` that reach a throughput:
`options` are what a host could be made of, `builds` what it is then. `matrix` is a plan of tests, `next_tests` the one
to do next.
"""
