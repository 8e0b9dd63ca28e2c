"""Compiled kernels without the compiler: their machine code is kept in a cache.

To load numba, and to have it look at the arguments of its first call, takes longer than
a small search. So a kernel is compiled to object code on its first use, which is kept
and read back by llvmlite.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from importlib import import_module
from threading import Lock

from replicheck.explorer.native.object_code import (
    Function,
    code_version,
    link,
    read_code,
    write_code,
)
from replicheck.explorer.native.packing import pack_into
from replicheck.explorer.runtime.digest import digest

_compile_times: list[float] = []


def compile_seconds() -> float:
    """Wall time for which this process has compiled kernels so far."""
    return sum(_compile_times)


class Kernel:
    """A function of `native.kernels`, compiled on its first use."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        self._functions: dict[tuple[str, ...], Function] = {}
        self._lock = Lock()

    def __call__(self, *arguments: object) -> int:
        """Run it without Python's lock; return what it returns, or 0."""
        words: list[int] = []
        kinds: list[str] = []
        for argument in arguments:
            pack_into(argument, words, kinds)
        kind = tuple(kinds)
        function = self._functions.get(kind)
        if function is None:
            with self._lock:
                function = self._functions.get(kind)
                if function is None:
                    function = self._load("".join(kind), arguments)
                    self._functions[kind] = function
        return function(struct.pack(f"{len(words)}q", *words))

    def _load(self, kind: str, arguments: Sequence[object]) -> Function:
        key = f"{code_version()} {self.module} {kind}"
        name = f"{self.name}-{digest(key.encode())}.kernel"
        code = read_code(name)
        if code is None:
            started = time.monotonic()
            # Both import numba, which takes longer than a small search.
            from replicheck.explorer.native.compiler import compile_kernel

            module = import_module(f"{__package__}.kernels.{self.module}")
            code = compile_kernel(getattr(module, self.name), arguments)
            write_code(name, code)
            _compile_times.append(time.monotonic() - started)
        return link(code)
