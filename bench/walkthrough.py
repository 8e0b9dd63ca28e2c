"""Walks through the code of one check, and counts what a reader has to know.

``python bench/walkthrough.py [ARGUMENT ...]`` runs ``replicheck check replication``
with two brokers, or what the arguments say, and prints

* how many modules of replicheck are imported, and how many run a function,
* the way from `main` to the kernel that expands a level: each frame with its module,
* the pairs of modules that call each other.

A call belongs to the nearest frame of replicheck above it; frames of libraries are not
counted. What runs while a module is imported is no call.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType

from attrs import define, field

import replicheck.explorer
from replicheck.cli.program import main

SMALL, PLAIN = ["--bounds", "brokers=2"], ["--threads", "1", "--no-cache"]
CHECK = ["check", "replication", *SMALL, *PLAIN]
ROOT = replicheck.explorer.__file__.removesuffix("explorer/__init__.py")
PACKAGES = tuple(
    f"{ROOT}{name}/" for name in ("model", "invariants", "explorer", "traces", "cli")
)
KERNEL = ("Kernel.__call__", "expand")
"""The frame that calls a kernel, and the name of the kernel that expands a level."""


@define
class Walk:
    """The calls of a run, and the way to the kernel."""

    calls: set[tuple[str, str]] = field(factory=set)
    modules: set[str] = field(factory=set)
    way: list[str] = field(factory=list)

    def see(self, frame: FrameType, event: str, argument: object) -> None:
        """Note one call; this is what `sys.setprofile` takes."""
        module = module_of(frame.f_code)
        if event != "call" or module is None or is_of_an_import(frame.f_code):
            return
        self.modules.add(module)
        caller = next(frames_above(frame.f_back), None)
        if caller is not None and not is_of_an_import(caller.f_code):
            above = module_of(caller.f_code)
            if above is not None and above != module:
                self.calls.add((above, module))
        if not self.way and is_kernel(frame):
            names = [name_of(frame), *map(name_of, frames_above(frame.f_back))]
            self.way = names[::-1]

    def pairs(self) -> list[tuple[str, str]]:
        """Modules that call each other."""
        return sorted(
            (first, second)
            for first, second in self.calls
            if first < second and (second, first) in self.calls
        )


def module_of(code: CodeType) -> str | None:
    """The module of a code object of replicheck, such as ``explorer.engine``."""
    if not code.co_filename.startswith(PACKAGES):
        return None
    path = code.co_filename.removeprefix(ROOT).removesuffix(".py")
    return path.replace("/", ".").removesuffix(".__init__")


def is_of_an_import(code: CodeType) -> bool:
    """Whether the code is that of a module or the body of a class."""
    return code.co_name == "<module>" or not code.co_flags & 0x1


def is_kernel(frame: FrameType) -> bool:
    """Whether the frame calls the kernel that expands a level."""
    function, name = KERNEL
    called = frame.f_locals.get("self")
    return (
        frame.f_code.co_qualname == function and getattr(called, "name", None) == name
    )


def frames_above(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames of replicheck from one on, the innermost first."""
    while frame is not None:
        if module_of(frame.f_code) is not None:
            yield frame
        frame = frame.f_back


def name_of(frame: FrameType) -> str:
    """Module and name of a frame's function."""
    return f"{module_of(frame.f_code)}:{frame.f_code.co_qualname}"


def walk_through(arguments: list[str]) -> Walk:
    """Run a command, and note every call."""
    walk = Walk()
    threading.setprofile(walk.see)
    sys.setprofile(walk.see)
    try:
        sys.argv[1:] = arguments
        main()
    except SystemExit as ended:
        if ended.code:
            raise
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return walk


def report(walk: Walk) -> None:
    """Print the figures."""
    modules = dict.fromkeys(name.partition(":")[0] for name in walk.way)
    loaded = [name for name in sys.modules if name.startswith("replicheck.")]
    print(f"{len(loaded)} modules imported, {len(walk.modules)} of them run a function")
    print(f"{len(walk.way)} frames in {len(modules)} modules from main to the kernel:")
    for name in walk.way:
        print(f"    {name}")
    print(f"{len(walk.pairs())} pairs of modules call each other:")
    for first, second in walk.pairs():
        print(f"    {first} <-> {second}")


if __name__ == "__main__":
    report(walk_through(sys.argv[1:] or CHECK))
