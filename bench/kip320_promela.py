"""A hand-written Promela port of the replication model with KIP-320, for Spin.

One action with one choice of parameters is one ``d_step``; both ISR invariants are
asserted after each. Epochs, leaders and records are stored plus one, 0 being none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator


def agree(log_size: int, one: int, other: int) -> str:
    """The condition that two logs agree below the high watermark of ``one``."""
    conditions = []
    for offset in range(log_size):
        here, there = one * log_size + offset, other * log_size + offset
        conditions.append(
            f"(hw[{one}]<={offset} || (leo[{one}]>{offset} && leo[{other}]>{offset}"
            f" && rid[{here}]==rid[{there}] && rep[{here}]==rep[{there}]))"
        )
    return "(" + " && ".join(conditions) + ")"


def every_isr(brokers: int, log_size: int, isr_of: str) -> str:
    """An invariant: the members of an ISR agree with every presumed leader."""
    conditions = []
    for leader in range(brokers):
        members = " && ".join(
            f"(!({isr_of.format(leader=leader)}&{1 << member})"
            f" || {agree(log_size, leader, member)})"
            for member in range(brokers)
        )
        conditions.append(f"(ldr[{leader}]!={leader + 1} || ({members}))")
    return "(" + " && ".join(conditions) + ")"


def lines(brokers: int, log_size: int, records: int, max_epoch: int) -> Iterator[str]:
    """Yield the model line by line."""
    everyone = (1 << brokers) - 1
    sizes = {"leo": brokers, "hw": brokers, "lep": brokers, "ldr": brokers}
    sizes |= {"isr": brokers, "rid": brokers * log_size, "rep": brokers * log_size}
    sizes |= {"rql": max_epoch + 1, "rqi": max_epoch + 1}
    for name, size in sizes.items():
        yield f"byte {name}[{size}];"
    yield f"byte qep, qldr, qisr = {everyone}, nrec, nep;"
    yield "hidden byte at;"
    yield "#define FOLLOWS(l,f) (ldr[l]==l+1 && ldr[f]==l+1 && lep[f]==lep[l])"
    yield "#define TRUE_LEADER(l) (qldr==l+1 && ldr[l]==l+1 && lep[l]==qep)"
    yield "#define STORE(l,x) qisr = x; isr[l] = x"
    yield (
        "#define PUBLISH(l,i) rql[nep] = l; rqi[nep] = i;"
        " qldr = l; qisr = i; qep = nep+1; nep++"
    )
    yield f"#define WEAK {every_isr(brokers, log_size, 'isr[{leader}]')}"
    yield f"#define STRONG {every_isr(brokers, log_size, 'qisr')}"
    yield "#define CHECK ; assert(WEAK); assert(STRONG)"
    yield "active proctype kafka() {"
    yield "end: do"
    for broker in range(brokers):
        yield from controller(broker, max_epoch)
        yield from leader(broker, brokers, log_size, records, max_epoch)
        for follower in range(brokers):
            yield from expansion(broker, follower, log_size)
            if follower != broker:
                yield from pair(broker, follower, log_size, max_epoch)
    yield "od }"


def step(name: str, guard: str, effect: str) -> str:
    """One step."""
    return f":: d_step {{ {guard} -> {effect} CHECK }} /* {name} */"


def controller(broker: int, max_epoch: int) -> Iterator[str]:
    """Yield what the controller does to a broker."""
    bit, left = 1 << broker, f"nep<={max_epoch}"
    led = f"qldr=={broker + 1}"
    others = f"(qisr&{255 & ~bit})"
    yield step(
        "elect_leader",
        f"{left} && (qisr&{bit}) && !({led})",
        f"PUBLISH({broker + 1},qisr)",
    )
    name = "remove_from_isr"
    yield step(name, f"{left} && {led} && qisr=={bit}", "PUBLISH(0,qisr)")
    yield step(name, f"{left} && {led} && qisr!={bit}", f"PUBLISH(0,{others})")
    yield step(name, f"{left} && !({led}) && (qisr&{bit})", f"PUBLISH(qldr,{others})")


def leader(
    broker: int, brokers: int, log_size: int, records: int, max_epoch: int
) -> Iterator[str]:
    """Yield what a broker does that leads."""
    yield step(
        "append_to_leader",
        f"ldr[{broker}]=={broker + 1} && nrec<{records} && leo[{broker}]<{log_size}",
        f"at={broker * log_size}+leo[{broker}]; rid[at]=nrec+1;"
        f" rep[at]=lep[{broker}]; leo[{broker}]++; nrec++",
    )
    caught_up = " && ".join(
        f"(!(isr[{broker}]&{1 << member})"
        f" || (FOLLOWS({broker},{member}) && hw[{broker}]<leo[{member}]))"
        for member in range(brokers)
    )
    yield step(
        "increment_high_watermark",
        f"ldr[{broker}]=={broker + 1} && hw[{broker}]<leo[{broker}] && {caught_up}",
        f"hw[{broker}]++",
    )
    for epoch in range(max_epoch + 1):
        yield step(
            "become_leader",
            f"nep>{epoch} && rql[{epoch}]=={broker + 1} && {epoch + 1}>lep[{broker}]",
            f"lep[{broker}]={epoch + 1}; ldr[{broker}]={broker + 1};"
            f" isr[{broker}]=rqi[{epoch}]",
        )


def expansion(broker: int, follower: int, log_size: int) -> Iterator[str]:
    """Yield how a leader expands its ISR."""
    committed = (
        f"(hw[{broker}]==leo[{broker}] || (hw[{broker}]<leo[{broker}]"
        f" && rep[{broker * log_size}+hw[{broker}]]==lep[{broker}]))"
    )
    yield step(
        "expand_isr",
        f"!(isr[{broker}]&{1 << follower}) && FOLLOWS({broker},{follower})"
        f" && hw[{broker}]<=leo[{follower}] && {committed} && TRUE_LEADER({broker})",
        f"at=isr[{broker}]|{1 << follower}; STORE({broker},at)",
    )


def pair(broker: int, follower: int, log_size: int, max_epoch: int) -> Iterator[str]:
    """Yield what goes on between a leader and another broker."""
    bit, ours, theirs = 1 << follower, follower * log_size, broker * log_size
    yield step(
        "shrink_isr",
        f"(isr[{broker}]&{bit}) && (!FOLLOWS({broker},{follower})"
        f" || leo[{follower}]<leo[{broker}]) && TRUE_LEADER({broker})",
        f"at=isr[{broker}]&{255 & ~bit}; STORE({broker},at)",
    )
    yield step(
        "fetch",
        f"FOLLOWS({broker},{follower}) && leo[{follower}]<leo[{broker}]",
        f"at=leo[{follower}]; rid[{ours}+at]=rid[{theirs}+at];"
        f" rep[{ours}+at]=rep[{theirs}+at]; leo[{follower}]=at+1;"
        f" hw[{follower}]=(hw[{broker}]<at+1 -> hw[{broker}] : at+1)",
    )
    agreement = " ".join(
        f"at=((leo[{broker}]>{offset} && leo[{follower}]>{offset}"
        f" && rid[{theirs + offset}]==rid[{ours + offset}]"
        f" && rep[{theirs + offset}]==rep[{ours + offset}]) -> {offset + 1} : at);"
        for offset in range(log_size)
    )
    cut = " ".join(
        f"rid[{ours + offset}]=(at>{offset} -> rid[{ours + offset}] : 0);"
        f" rep[{ours + offset}]=(at>{offset} -> rep[{ours + offset}] : 0);"
        for offset in range(log_size)
    )
    for epoch in range(max_epoch + 1):
        yield step(
            "become_follower_and_truncate",
            f"nep>{epoch} && rql[{epoch}]=={broker + 1} && {epoch + 1}>lep[{follower}]"
            f" && ldr[{broker}]=={broker + 1} && lep[{broker}]=={epoch + 1}",
            f"at=0; {agreement} {cut} leo[{follower}]=at; lep[{follower}]={epoch + 1};"
            f" ldr[{follower}]={broker + 1}; isr[{follower}]=rqi[{epoch}];"
            f" hw[{follower}]=(hw[{follower}]>at -> at : hw[{follower}])",
        )


if __name__ == "__main__":
    print("\n".join(lines(*(int(each) for each in sys.argv[1:5]))))
