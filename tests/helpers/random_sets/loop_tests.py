"""Texts of what a loop tests of an item `m`, and of expressions with loops."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

NUMBER = st.sampled_from(["0", "1", "2", "3", "k", "s.count", "s.votes[0]", "limit"])
TRUTH = st.sampled_from(["True", "False", "late"])
PLACES = st.sampled_from(
    [
        *("s.sent", "s.sent", "s.kept", "s.box.items", "s.box"),
        *("s.sent | s.kept", "s.sent - {Demand(k)}", "frozenset(s.sent)"),
        *("after.sent", "after.box.items", "s.sent ^ {Response(limit)}"),
    ]
)
CELLS = st.sampled_from(["s.sent", "s.sent", "s.kept", "s.box.items", "s.box"])
SAFE_TESTS = (
    "m.number == {n}",
    "m.number <= {n}",
    "m.number != {n} != {n2}",
    "m.number > s.votes[m.number % 2]",
    "m.number in wanted",
    "m.number in (s.count, {n})",
    "m.number in {{s.count, {n}}}",
    "isinstance(m, Demand)",
    "isinstance(m, Response) and m.is_late == {t}",
    "isinstance(m, Demand) and m.caller == {n}",
    "m == Demand({n})",
    "m in s.kept",
    "m in s",
    "is_even(m)",
    "is_wanted(m)",
    "m.number in s.numbers()",
    "(lambda x: x >= {n})(m.number)",
    "any(m.number == o.number for o in s.kept)",
    "any(m.number == o.number and o.number > {n} for o in s.sent)",
    "[k for k in wanted if k == m.number]",
    "len([o for o in s.kept if o.number != m.number]) > {n}",
    "f'{{m.number}}{{k}}' == f'{n2}1'",
    "getattr(m, 'caller', {n}) == {n2}",
    "(m.number, {n}) < ({n2}, *wanted)",
    "[*wanted, {n}, 7, 7, 7][m.number]",
    "s.votes",
    "{n}",
    "late",
)
RAISING_TESTS = ("m.caller == {n}", "m.is_late", "wanted[m.number] == {n}")


def _tests(texts: Sequence[str]) -> st.SearchStrategy[str]:
    leaves = st.builds(
        lambda text, n, n2, t: f"({text.format(n=n, n2=n2, t=t)})",
        st.sampled_from(texts),
        NUMBER,
        NUMBER,
        TRUTH,
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            inner.map(lambda test: f"(not {test})"),
            st.builds(
                lambda left, word, right: f"({left} {word} {right})",
                inner,
                st.sampled_from(["and", "or"]),
                inner,
            ),
            st.builds(
                lambda then, test, otherwise: f"({then} if {test} else {otherwise})",
                inner,
                inner,
                inner,
            ),
        ),
        max_leaves=3,
    )


TESTS = _tests(SAFE_TESTS)
EVERY_TEST = TESTS | _tests((*SAFE_TESTS, *RAISING_TESTS))
COUNTS = (
    "len([m for m in {p} if {e} if {t}])",
    "s.bag.count(Demand({n}))",
    "len(s.bag)",
    "len(s.bag.where(number={n}))",
    "len({{m.number: 1 for m in {p} if {e}}})",
    "len({{(m.number, k) for m in {p} if {e}}})",
    "len(of({p}, {n}))",
    "len(list(m.number for m in {p} if {e}))",
    "sum(m.number for m in {p} if {e})",
    "max((m.number for m in {p} if {e}), default={n})",
    "len([m for m in sorted({p}, key=repr) if {e}])",
    "len([m for m in sorted({p}, key=lambda m: repr(m)) if {t}][:2])",
    "len([(m, o) for m in {p} if {e} for o in {p2} if o.number >= m.number])",
    "sum([1 for m in {p} for o in {p2} if o.number == m.number])",
    "sum(1 for m in {p} for o in {p2} if {t} and o.number == m.number and {t2})",
    "len([1 for m in {p} if {e} for o in sorted({p2}, key=repr) if {e2} if o.number])",
    "len({{(m, o) for m in {p} for o in {p2} if {e} or o.number > {n} if {t}}})",
    "sum(o.number for m in (k, 2) for o in {p2} if o.number == m)",
    "sum(1 for m in {p} for o in s.votes if {e} and o for q in {p2} if q == m)",
    "len([m for m in {p} if {e} for o in (s.count if late else wanted) if {t}])",
    "max(map(len, [[o for o in {p2} if o.number == m] for m in (0, k)]))",
    "sum(1 for m in filter(is_even, {p}) if {e})",
    "sum(1 for m in map(lambda m: Demand(m.number), {p}) if {e})",
    "sum(1 for i, m in enumerate(sorted({p}, key=repr)) if {e})",
    "len(sorted([{p}, s.kept], key=len))",
    "min([sorted(x, key=repr) for x in ({p}, s.kept)], key=len).count(Demand({n}))",
)
TRUTHS_OF = (
    "any({t} for m in {p})",
    "Demand({n}) in s.bag",
    "s.bag.has_room({n})",
    "all({t} for m in {p})",
    "any({t} for m in {p} if {t2})",
    "all({t} for m in {p} if {t2})",
    "any(o.number == m.number for m in {p} for o in {p2} if {t})",
    "all(o.number == m.number for m in {p} for o in {p2} if {e} and o.number > {n})",
    "all({t} for m in {p} for o in {p2} if {e})",
    "any({t} and o != m for m in {p} if {t2} for o in {p2})",
    "all({t} or not ({e} and o != m) for m in {p} for o in {p2})",
    "{n} in [m.number for m in {p} if {e}]",
    "Demand({n}) in {{m for m in {p} if {e}}}",
)
