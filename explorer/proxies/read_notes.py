"""Read notes: states that note which of their fields a function asks for."""

from __future__ import annotations

from typing import Any

from replicheck.explorer.states.layout import Layout


def noting_class(layout: Layout) -> type:
    """The class of states like a layout's that note reads, made by `noting`.

    A field answers as the plain state does, whole families included.
    """

    def noted(name: str) -> property:
        def read(state: Any) -> Any:
            state.read_.add(name)
            return getattr(state.plain_, name)

        return property(read)

    def constant(name: str) -> property:
        return property(lambda state: getattr(state.plain_, name))

    return type(
        f"Noting{layout.state_class.__name__}",
        (layout.state_class,),
        {
            "__slots__": ("plain_", "read_"),
            **{name: noted(name) for name in layout.shapes},
            **{name: constant(name) for name in layout.constants},
        },
    )


def noting(kind: type, state: Any, read: set[str]) -> Any:
    """A state of a `noting_class` that adds the names of fields to ``read``."""
    made: Any = object.__new__(kind)
    object.__setattr__(made, "plain_", state)
    object.__setattr__(made, "read_", read)
    return made
