"""Texts of statements with loops, in a function with a state `s` and a `total`."""

from __future__ import annotations

BLOCKS = (
    """
for m in {p}:
    if {e}:
        continue
    if {e2}:
        total += m.number
""",
    """
for m in {p}:
    '''Look at each.'''
    if {t}:
        if {t2}:
            pass
        elif {t}:
            total += 1
    else:
        continue
""",
    """
for m in {p}:
    match m:
        case Demand(number=number, caller=1) if {t}:
            total += number
        case Response(is_late=True):
            pass
        case Demand(number=2) | Response(number=3):
            total += 5
        case _:
            continue
""",
    """
for m in {p}:
    match m.number, {n}:
        case (1, 1) | (0, _):
            total += 1
        case (x, 2 as y) if x > y or {t}:
            total -= 1
""",
    """
best = {n}
for m in {p}:
    if m.number > best:
        best = m.number
total += best
""",
    """
seen = set()
for m in sorted({p}, key=repr):
    if m.number in seen:
        continue
    seen.add(m.number)
total += len(seen)
""",
    """
seen = set()
for m in sorted({p}, key=repr):
    if m.number not in seen:
        if {t}:
            seen.add(m.number + 1)
total += len(seen)
""",
    """
seen = set()
known = sorted({p}, key=repr)
total += len([m for m in {p} if m.number in seen or seen.add(m.number)]) - len(known)
""",
    """
bound = {n}
chosen = (m for m in {p} if m.number <= bound)
bound = 7
total += len(list(chosen))
""",
    """
for m in {p}:
    if {t}:
        break
else:
    total += 1
""",
    """
m = Demand(3)
for m in sorted({p}, key=repr):
    if m.number == {n}:
        total += 1
total += m.number
""",
    """
number = 3
for m in sorted({p}, key=repr):
    match m:
        case Demand(number=number) if number == {n}:
            total += 1
total += number
""",
    """
for bound in (0, {n}, 2):
    for m in {p}:
        if m.number < bound or {t}:
            total += bound
""",
    """
def visit(m):
    nonlocal total
    total += 1
    return m.number == {n}
for m in {p}:
    if visit(m) and {t}:
        total += 1
total += sum([1 for m in {p} if visit(m)])
""",
    """
names = iter(range(9))
for m in {p}:
    if next(names) < {n}:
        total += 1
""",
    """
turns = list(range(9))
total += len([m for m in {p} if turns.pop() > 7])
""",
    """
for k, m in [(1, m) for m in {p} if {e}]:
    if {t}:
        total += k
""",
    """
for m in {p}:
    if (twice := m.number * 2) > {n}:
        total += twice
""",
    """
try:
    for m in {p}:
        if m.caller == {n}:
            total += 10
except AttributeError:
    total += 100
""",
    """
for m in {p}:
    if {t}:
        k = 1
        limit = 1
total += k
""",
)
