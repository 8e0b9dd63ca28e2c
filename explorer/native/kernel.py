"""Compiled kernels without the compiler: their machine code is kept in a cache.

To load numba, and to have it look at the arguments of its first call, takes longer than
a small search. So a kernel is compiled to object code on its first use, which is kept
and read back by llvmlite. A kernel gets one argument, the address of some **words**:
its integers as they are, for each array its address and its shape.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import struct
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from threading import Lock
from typing import Any

import llvmlite
import numpy as np
from attrs import frozen
from llvmlite import binding

from replicheck.explorer.runtime.atomic_files import checksum, store

HERE = Path(__file__).resolve().parent
SOURCES = ("*.py", "kernels/*.py")
Function = Callable[[Any], int]


@frozen
class Packed:
    """An argument as words; to pack it once spares time where it is passed often."""

    argument: object
    words: tuple[int, ...]
    kind: str


@frozen
class Code:
    """Object code, the name of its function, and the names that it needs."""

    name: str
    needed: tuple[str, ...]
    code: bytes


def pack(argument: object) -> Packed:
    """Return an integer, an array or a tuple of arrays as words.

    The array must outlive the words.

    Raises:
        ValueError: if an array is not contiguous.
    """
    words: list[int] = []
    kinds: list[str] = []
    _pack(argument, words, kinds)
    return Packed(argument, tuple(words), "".join(kinds))


def _pack(argument: Any, words: list[int], kinds: list[str]) -> None:
    if isinstance(argument, np.ndarray):
        interface = argument.__array_interface__
        if interface["strides"] is not None:
            raise ValueError("a kernel needs a contiguous array")
        shape = interface["shape"]
        words.append(interface["data"][0])
        words.extend(shape)
        kinds.append(f"{interface['typestr']}/{len(shape)} ")
    elif isinstance(argument, Packed):
        words.extend(argument.words)
        kinds.append(argument.kind)
    elif isinstance(argument, tuple):
        kinds.append(f"{type(argument).__name__}(")
        for each in argument:
            _pack(each, words, kinds)
        kinds.append(")")
    else:
        words.append(int(argument))
        kinds.append("i ")


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
        for each in arguments:
            _pack(each, words, kinds)
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
        name = f"{self.name}-{_digest(f'{_version()} {self.module} {kind}')}.kernel"
        code = _read(name)
        if code is None:
            kernel = getattr(
                import_module(f"{__package__}.kernels.{self.module}"), self.name
            )
            ahead = import_module("replicheck.explorer.native.compiler")
            code = ahead.object_code(kernel, arguments)
            _write(name, code)
        return _linked(code)


@cache
def target_machine() -> Any:
    """Return what this machine's code is made for."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def _linked(code: Code) -> Function:
    """Return the function in some object code."""
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())
    for name in code.needed:
        if binding.address_of_symbol(name) is None:
            binding.add_symbol(name, _address_of_abort())
    engine.add_object_file(binding.ObjectFileRef.from_data(code.code))
    engine.finalize_object()
    _engines.append(engine)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
    return prototype(engine.get_function_address(code.name))


_engines: list[Any] = []
"""They own the functions."""


@cache
def _address_of_abort() -> int:
    """Return what stands for functions of numba that only a kernel's errors would call.

    A kernel has no errors; ending the process is better than going on in spite of one.
    """
    abort = ctypes.CDLL(None).abort
    return ctypes.cast(abort, ctypes.c_void_p).value or 0


@cache
def _version() -> str:
    """Return what the code depends on, beside the kernel and the types."""
    digest = hashlib.blake2b(digest_size=16)
    for pattern in SOURCES:
        for path in sorted(HERE.glob(pattern)):
            digest.update(path.read_bytes())
    digest.update(_numba_version())
    parts = (
        digest.hexdigest(),
        llvmlite.__version__,
        platform.machine(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
    )
    return " ".join(parts)


def _numba_version() -> bytes:
    """Return the file of numba that has its version, without importing numba."""
    found = find_spec("numba")
    assert found is not None and found.origin is not None
    return Path(found.origin).with_name("_version.py").read_bytes()


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


@cache
def cache_folder() -> Path:
    """Return where compiled kernels are kept: beside the sources, or in a user's cache.

    ``REPLICHECK_KERNELS`` names another folder.
    """
    chosen = os.environ.get("REPLICHECK_KERNELS")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    places = [HERE / "__pycache__", Path(home) / "replicheck", Path(gettempdir())]
    for place in [Path(chosen)] if chosen else places:
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(place, os.W_OK):
            return place
    return places[-1]


def _read(name: str) -> Code | None:
    """Return the code of this name, if it is there and whole."""
    try:
        content = (cache_folder() / name).read_bytes()
    except OSError:
        return None
    head, _, code = content.partition(b"\n")
    expected, *names = head.decode(errors="replace").split(" ")
    if checksum(code) != expected or not names:
        return None
    return Code(names[0], tuple(names[1:]), code)


def _write(name: str, code: Code) -> None:
    head = " ".join((checksum(code.code), code.name, *code.needed))
    with _writing:
        try:
            store(cache_folder(), name, head.encode() + b"\n" + code.code)
        except OSError:
            return


_writing = Lock()

expand = Kernel("expand", "expand")
retry = Kernel("expand", "retry")
sort_by_source = Kernel("candidate_sort", "sort_by_source")
count_parts = Kernel("candidate_sort", "count_parts")
scatter = Kernel("candidate_sort", "scatter")
add_all = Kernel("visited_insert", "add_all")
spread = Kernel("visited_insert", "spread")
insert = Kernel("visited_insert", "insert")
gather = Kernel("level_sort", "gather")
renumber = Kernel("exchange", "renumber")
drop_known = Kernel("exchange", "drop_known")
pick_uniformly = Kernel("random_walk", "pick_uniformly")
pick_by_priority = Kernel("random_walk", "pick_by_priority")
pick_with_faults = Kernel("random_walk", "pick_with_faults")
move = Kernel("random_walk", "move")
follow = Kernel("choice_walk", "follow")
count_states = Kernel("random_walk", "count_states")
