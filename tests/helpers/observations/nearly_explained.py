"""Observations of a run, with one thing amiss, as a strategy of hypothesis."""

from __future__ import annotations

from attrs import evolve
from hypothesis import strategies as st

from observations import mail, office, post
from replicheck.explorer.engines.trace_validation.observations import Observation
from replicheck.explorer.instances import instances

MODELS = {"mail": mail, "office": office, "post": post}


@st.composite
def nearly_explained(draw: st.DrawFn) -> tuple[str, list[Observation]]:
    """What a run of a model shows, with one value, observation or order amiss.

    So it is likely that a run explains what becomes of it by one change.
    """
    name = draw(st.sampled_from(sorted(MODELS)))
    model = MODELS[name]
    (state,), seen = model.MODEL.starts, list[Observation]()
    actions = instances(model.MODEL.actions, model.MODEL.domains)
    for at in range(draw(st.integers(2, 9))):
        enabled = [(one, after) for one in actions for after in one(state)]
        if not enabled:
            break
        action, after = draw(st.sampled_from(enabled))
        for stream, label in model.projection(action, state, after):
            known = {key: value for key, value in label.items() if value is not ...}
            seen.append(Observation(stream, at, at, known))
        state = after
    if not seen:
        return name, seen
    place = draw(st.integers(0, len(seen) - 1))
    amiss = seen[place]
    how = draw(st.sampled_from(("value", "twice", "moved")))
    if how == "value":
        key = draw(st.sampled_from(sorted(amiss.label)))
        changed = {**amiss.label, key: before(amiss.label[key])}
        seen[place] = evolve(amiss, label=changed)
    elif how == "twice":
        seen.insert(draw(st.integers(0, len(seen))), amiss)
    else:
        seen.insert(draw(st.integers(0, len(seen) - 1)), seen.pop(place))
    return name, seen


def before(value: int) -> int:
    """The value that a corruption turns into this one."""
    return not value if isinstance(value, bool) else value - 1
