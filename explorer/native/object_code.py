"""Object code of kernels: the target machine, the linker, and the cache on the disk."""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock
from typing import Any

import llvmlite
from attrs import frozen
from llvmlite import binding

from replicheck.explorer.runtime.atomic_files import store
from replicheck.explorer.runtime.digest import digest, new_digest
from replicheck.explorer.runtime.private_files import make_private_folder, read_private

HERE = Path(__file__).resolve().parent
SOURCES = ("*.py", "kernels/**/*.py")
Function = Callable[[Any], int]


@frozen
class Code:
    """Object code, the name of its function, and the names that it needs."""

    name: str
    needed: tuple[str, ...]
    code: bytes


@cache
def target_machine() -> Any:
    """Target machine of the code that runs here."""
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
    """The function in some object code."""
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
    """Address for functions of numba that only a kernel's errors would call.

    A kernel has no errors; ending the process is better than going on in spite of one.
    """
    abort = ctypes.CDLL(None).abort
    return ctypes.cast(abort, ctypes.c_void_p).value or 0


@cache
def code_version() -> str:
    """Version of all that the code depends on, beside the kernel and the types."""
    sources = new_digest()
    for pattern in SOURCES:
        for path in sorted(HERE.glob(pattern)):
            sources.update(path.read_bytes())
    parts = (
        sources.hexdigest(),
        _numba_version(),
        llvmlite.__version__,
        platform.machine(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
    )
    return " ".join(parts)


def _numba_version() -> str:
    """Text of numba's module of its version; to import numba takes a second."""
    spec = find_spec("numba")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("numba is not installed", name="numba")
    return Path(spec.origin).with_name("_version.py").read_text("utf-8")


@cache
def cache_folder() -> Path:
    """Private folder of compiled kernels: beside the sources, or in the user's cache.

    ``REPLICHECK_KERNELS`` names another folder. Who can write there can run code, so
    a folder that another user can write is not used. Where there is no other, kernels
    are compiled for this process alone, which the user is told.
    """
    refused = []
    for folder in _candidates():
        try:
            make_private_folder(folder)
        except (OSError, RuntimeError) as error:
            refused.append(str(error))
            continue
        if os.access(folder, os.W_OK):
            return folder
        refused.append(f"{folder} cannot be written")
    own = Path(mkdtemp(prefix="replicheck-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    sys.stderr.write(
        "replicheck: kernels are compiled for this process alone, which takes some"
        f" seconds, for there is no folder to keep them: {'; '.join(refused)}. Name one"
        " with REPLICHECK_KERNELS.\n"
    )
    return own


def _candidates() -> Iterator[Path]:
    chosen = os.environ.get("REPLICHECK_KERNELS")
    if chosen:
        yield Path(chosen)
        return
    yield HERE / "__pycache__"
    chosen = os.environ.get("XDG_CACHE_HOME")
    try:
        yield (Path(chosen) if chosen else Path.home() / ".cache") / "replicheck"
    except RuntimeError:
        # No home, and no entry of the user that says where it would be.
        return


def read_code(name: str) -> Code | None:
    """Read the code of this name, if it is there, whole, and the user's own."""
    try:
        content = read_private(cache_folder() / name)
    except OSError:
        return None
    head, _, code = content.partition(b"\n")
    expected, *names = head.decode(errors="replace").split(" ")
    if digest(code) != expected or not names:
        return None
    return Code(names[0], tuple(names[1:]), code)


def write_code(name: str, code: Code) -> None:
    """Keep some code under this name, if there is room for it."""
    head = " ".join((digest(code.code), code.name, *code.needed))
    with _writing:
        try:
            store(cache_folder(), name, head.encode() + b"\n" + code.code)
        except OSError:
            return


_writing = Lock()
