"""Log strips as text: one row for each log, drawn as epochs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replicheck.traces.describer import Strip


def drawn(strips: Sequence[Strip]) -> Iterator[str]:
    """Yield one line for each log.

    Records of one epoch stand together, such as ``e0 r0 | e1 r1 r2``; ``^`` stands at
    the high watermark, before the first record that is not committed.
    """
    logs = [_log(log_strip) for log_strip in strips]
    names = max((len(log_strip.name) for log_strip in strips), default=0)
    width = max(map(len, logs), default=0)
    for strip, log in zip(strips, logs, strict=True):
        facts = [f"HW {_offset(strip.high_watermark)}", f"end {strip.end_offset}"]
        text = ", ".join([*facts, *strip.marks])
        yield f"{strip.name:{names}}  [{log:{width}}]  {text}"


def _log(strip: Strip) -> str:
    words: list[str] = []
    for run in strip.runs:
        words += ["|"] * bool(words) + [f"e{run.epoch}"]
        for offset, record in enumerate(run.records, start=run.start):
            words += ["^"] * (offset == strip.high_watermark)
            words.append(record.partition("@")[0])
    if strip.high_watermark is not None and strip.high_watermark >= strip.end_offset:
        words.append("^")
    return " ".join(words)


def _offset(offset: int | None) -> str:
    return "unknown" if offset is None else str(offset)
