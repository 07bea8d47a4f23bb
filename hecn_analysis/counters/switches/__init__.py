"""Readers of what switches, routers and firewalls print of their ports.

The readers are our own: of the templates of ntc-templates 9.2 for these commands, those of Cisco, Arista, Juniper, HPE
Comware and Huawei leave out the octets, and those of Arista, Juniper and Comware the errors and drops, too. `port` is
what all readers make, `stanzas` reads it by a table of patterns, `checks` says what is wrong with a port.
"""
