"""Object code of kernels: the target machine, the linker, and the cache on the disk."""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from threading import Lock
from typing import Any

import llvmlite
from attrs import frozen
from llvmlite import binding

from replicheck.explorer.runtime.atomic_files import checksum, store

HERE = Path(__file__).resolve().parent
SOURCES = ("*.py", "kernels/*.py")
Function = Callable[[Any], int]


@frozen
class Code:
    """Object code, the name of its function, and the names that it needs."""

    name: str
    needed: tuple[str, ...]
    code: bytes


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


def link(code: Code) -> Function:
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
def code_version() -> str:
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


def read_code(name: str) -> Code | None:
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


def write_code(name: str, code: Code) -> None:
    head = " ".join((checksum(code.code), code.name, *code.needed))
    with _writing:
        try:
            store(cache_folder(), name, head.encode() + b"\n" + code.code)
        except OSError:
            return


_writing = Lock()
