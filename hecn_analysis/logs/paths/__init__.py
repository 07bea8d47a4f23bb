"""Readers of what measures a path: RTT, loss, hops, sockets, queues."""
