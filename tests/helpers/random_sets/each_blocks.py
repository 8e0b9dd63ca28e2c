"""Texts of loops in actions, in which all steps are, with a state `s`.

Not all do the same for each item, whatever they did for the ones before.
"""

from __future__ import annotations

from hypothesis import strategies as st

SORTED_PLACES = st.sampled_from(
    [
        *("sorted(s.sent, key=repr)", "sorted(s.sent, key=repr)"),
        *("sorted(s.sent, key=str)", "sorted(s.kept, key=repr)"),
        *("sorted(s.sent, key=lambda m: repr(m))", "sorted(s.sent | s.kept, key=repr)"),
        *("sorted(s.box.items, key=repr)", "sorted(after.sent, key=repr)"),
        "sorted(s.box, key=repr)",
        *("sorted(s.box.where(), key=repr)", "sorted(s.box.where(Response), key=repr)"),
        *("sorted(s.bag.where(), key=str)", "sorted(s.bag.where(number=1), key=str)"),
        *(
            "sorted(s.box.demands(wanted), key=str)",
            "sorted(s.box.demands([k, 1, 3]), key=repr)",
        ),
    ]
)
EACH_BLOCKS = (
    """
for is_late in (False, True):
    for m in {p}:
        if not is_late:
            rest = m.number
        elif {t} and rest < 3:
            yield s.evolve(count=min({c}, 3))
""",
    """
for late in (True, False):
    for m in {p}:
        rest = s.sent - {{m}} if late else s.sent
        yield s.evolve(sent=rest, votes={{0: int(late)}})
""",
    """
for m in {p}:
    yield from taken(s, m)
""",
    """
for m in {p}:
    yield s.evolve(bag=s.bag.remove(m), box=s.box.add(m))
""",
    """
for m in {p}:
    if {t} and m not in s.bag:
        yield s.evolve(box=s.box.remove(m), bag=s.bag.add(m))
""",
    """
for m in {p}:
    yield s.evolve(sent=s.sent - {{m}})
""",
    """
for m in {p}:
    rest = s.sent - {{m}}
    if {t}:
        yield s.evolve(sent=rest, kept=s.kept | {{m}})
    yield s.evolve(sent=rest | {{Demand(min(m.number + 1, 3))}}, votes={{0: {n}}})
""",
    """
for m in {p}:
    if {t}:
        continue
    match m:
        case Demand(number=number, caller=1):
            yield s.evolve(votes={{1: min(number, 2)}})
        case _:
            number = m.number
    yield {change}
""",
    """
for m in {p}:
    for o in sorted(s.sent, key=repr):
        if o.number == m.number and o != m:
            break
    else:
        yield s.evolve(kept=s.kept | {{m}}, count=min({c}, 3))
""",
    """
for m in {p}:
    if m.number == 3 and {t}:
        yield s.evolve(count=m.caller)
    yield s.evolve(box=s.box.add(m))
""",
    """
for m in {p}:
    for late in (True, False):
        if is_even(m):
            yield s.evolve(sent=s.sent | {{Response(m.number, late)}})
""",
    """
turns = 0
for m in s.sent:
    turns += 1
    yield s.evolve(votes={{0: min(turns, 2)}})
""",
    """
seen = []
for m in {p}:
    if not seen:
        seen.append(m)
        yield s.evolve(kept=frozenset())
""",
    """
names = iter(range(9))
for m in s.sent:
    if next(names) < {n}:
        yield s.evolve(count=min(s.count + 1, 3))
""",
    """
for m in s.kept:
    yield s.evolve(kept=frozenset())
    break
""",
    """
for m in {p}:
    yield s.evolve(kept=frozenset())
    return
""",
    """
for m in {p}:
    if is_wanted(m):
        yield {change}
""",
    """
for m in {p}:
    yield {change}
else:
    yield s.evolve(sent=frozenset())
""",
    """
for late in (True, False):
    for m in {p}:
        if isinstance(m, Response) and m.is_late == late:
            yield s.evolve(sent=s.sent - {{m}})
""",
    """
m = Demand(3)
for m in {p}:
    if {t}:
        yield s.evolve(count=min({c}, 3))
total = m.number
""",
    """
def visit(m):
    nonlocal total
    total += 1
    return total == 1
for m in {p}:
    if visit(m):
        yield s.evolve(kept=frozenset())
""",
    """
try:
    for m in {p}:
        if m.caller == {n}:
            yield s.evolve(sent=s.sent - {{m}})
except AttributeError:
    pass
""",
    """
s = after
for m in {p}:
    yield s.evolve(sent=s.sent - {{m}})
""",
    """
sorted = lambda items, key: [Demand(1)] * len(items)
for m in {p}:
    yield s.evolve(sent=frozenset())
""",
    """
for number in (0, 1):
    if s.votes[number] != {n}:
        yield s.evolve(votes={{number: min({c}, 2)}})
""",
    """
for number, vote in enumerate(s.votes):
    for m in {p}:
        if m.number == vote:
            yield s.evolve(votes={{number: (vote + 1) % 3}})
""",
    """
for m in {p}:
    for number in range(len(s.votes)):
        if {t} and s.votes[number] == number:
            yield s.evolve(votes={{number: 2}}, sent=s.sent - {{m}})
""",
    """
seen = []
for number in range(3):
    seen.append(number)
    if len(seen) < 3 and 1 // (s.count + number or 1) < 2:
        yield s.evolve(count=number)
""",
    """
for number in (0.5, 1.5, 2.5):
    if s.count < number:
        yield s.evolve(count=int(number))
""",
    """
for number in (0, 1):
    seen = [number]
    for other in (0, 1):
        seen.append(other)
        if len(seen) - 2 == s.votes[other]:
            yield s.evolve(votes={{other: number}})
""",
    """
for number in (0, 1, 2):
    if number != s.count:
        yield s.evolve(count=number)
for number in (0, 1):
    for other in (1, 0):
        if s.votes[number] > s.votes[other]:
            yield s.evolve(votes={{other: 0}})
    if s.votes[number] == 2:
        yield {change}
""",
)
