"""Texts of statements by which an invariant says something of the items of sets.

Not all say of each item what they would say of it alone.
"""

from __future__ import annotations

CLAIM_BLOCKS = (
    """
for m in {c}:
    if {t}:
        continue
    if {t2}:
        return False
""",
    """
for m in {c}:
    if {t} and m.number == {n}:
        return False
""",
    """
for number, vote in enumerate(s.votes):
    for m in {c}:
        if m.number == vote and {t}:
            return False
""",
    """
for m in {c}:
    rest = m.number
    for o in {c2}:
        if o.number == rest and {t}:
            return False
""",
    """
if {t2}:
    for m in {c}:
        match m:
            case Demand(number=number) if number == {n}:
                return False
            case _:
                number = {n}
                if number > m.number:
                    return False
""",
    """
if any({t} and m.number == {n} for m in {c}):
    return False
""",
    """
if {n} > 1 and not all({t} for m in {c}):
    return False
""",
    """
if any({t} for m in {c}) or any(m.number > {n} for m in {c2}):
    return False
""",
    """
if any({t} for m in {c}) and any(m.number > {n} for m in {c2}):
    return False
""",
    """
if late:
    return all({t} for m in {c}) and not any(m.number == {n} for m in {c2})
""",
    """
if {n} == 2:
    return all({t} for m in {c}) or all(m.number < {n} for m in {c2})
""",
    """
return not any({t} for m in {c} for o in {c2} if o.number == m.number and o != m)
""",
    """
return {n} > 2 or all(any(o.number >= m.number for o in {c2}) for m in {c})
""",
    """
return all({t} for m in {c}) if late else not any({t2} for o in {c2} for m in {c})
""",
    """
seen = set()
for m in {c}:
    if m.number in seen:
        return False
    seen.add(m.number)
""",
    """
for m in {c}:
    total += 1
    if total > 5:
        return False
""",
    """
for m in sorted({c}, key=repr):
    if {t}:
        return True
    if m.number == {n}:
        return False
""",
    """
for m in {c}:
    if {t}:
        break
else:
    return False
""",
    """
s = after
for m in {c}:
    if {t}:
        return False
""",
    """
all = any
if not all({t} for m in {c}):
    return False
""",
    """
return len([m for m in {c} if {t}]) < 3 and any({t2} for m in {c})
""",
)
LATE_BLOCKS = (
    "",
    """
if not {Demand(0), Demand(3, 1)} <= s.sent:
    return True
""",
    """
if len(s.sent) < 3:
    return True
""",
    """
if Demand(2) not in s.sent or Response(1) not in s.box.items:
    return True
""",
)
"""Before those: most claims about the first states are false."""
