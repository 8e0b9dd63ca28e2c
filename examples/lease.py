"""A lease: who holds it may write until its own clock says that it ended.

Clocks tick at different speeds, but never differ by more than `drift`. The holder stops
early enough; with `--protocol trusting` it forgets that clocks drift.
"""

from __future__ import annotations

from collections.abc import Iterator

from replicheck.modelling import Bounds, Id, Model, State, bound, constant


class Client(Id):
    """One that wants to write."""


class Size(Bounds):
    """Clients, how long a lease is, how far clocks differ, and when time ends."""

    clients: int = bound(2, at_least=1, fuzz=(1, 2))
    length: int = bound(2, at_least=1, fuzz=(1, 3))
    drift: int = bound(1, fuzz=(0, 1))
    end: int = bound(5, at_least=1, fuzz=(1, 5))


class Leases(State):
    """The clock of the server and of each client, and whose lease ends when.

    `ends` are times by the server's clock, `stops` by that of the client.
    """

    now: int
    clocks: tuple[int, ...]
    holder: Client | None
    ends: int
    stops: tuple[int, ...]
    size: Size = constant()

    def may_write(self, client: Client) -> bool:
        """Whether a client believes that it holds the lease."""
        return self.clocks[client] < self.stops[client]


model = Model("lease", Size, {Client: "clients"})
model.symmetric(Client, "clocks", "stops")


@model.initial
def midnight(size: Size) -> Leases:
    """All clocks agree, and no process holds the lease."""
    none = (0,) * size.clients
    return Leases(0, none, None, 0, none, size)


@model.action
def tick(s: Leases) -> Iterator[Leases]:
    """The server's clock goes on, unless a client's would be too far behind."""
    if s.now < s.size.end and all(s.now + 1 <= c + s.size.drift for c in s.clocks):
        yield s.evolve(now=s.now + 1)


@model.action
def tick_of_client(s: Leases, client: Client) -> Iterator[Leases]:
    """A client's clock goes on, unless it would be too far ahead."""
    if s.clocks[client] < s.size.end and s.clocks[client] + 1 <= s.now + s.size.drift:
        yield s.evolve(clocks={client: s.clocks[client] + 1})


@model.action
def grant(s: Leases, client: Client) -> Iterator[Leases]:
    """The server gives a lease that ended to another; it writes for a shorter time."""
    if s.holder is None or s.now >= s.ends:
        stop = s.now + s.size.length - s.size.drift
        yield s.evolve(holder=client, ends=s.now + s.size.length, stops={client: stop})


def grant_without_margin(s: Leases, client: Client) -> Iterator[Leases]:
    """The server tells when the lease ends, as if all clocks were its own."""
    if s.holder is None or s.now >= s.ends:
        end = s.now + s.size.length
        yield s.evolve(holder=client, ends=end, stops={client: end})


model.variant("trusting", {grant: grant_without_margin})


@model.always
def one_client_may_write(s: Leases, first: Client, second: Client) -> bool:
    """No two clients write at the same time."""
    return first == second or not (s.may_write(first) and s.may_write(second))


@model.sometimes
def a_second_client_writes(s: Leases, first: Client, second: Client) -> bool:
    """The lease goes from one to another."""
    return first != second and s.stops[first] > 0 and s.may_write(second)
