"""Compiling a kernel ahead of time: to object code that runs without numba."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import binding
from numba import carray, cfunc, types

from replicheck.explorer.native.kernels.numba_support import pointer
from replicheck.explorer.native.object_code import Code, target_machine
from replicheck.explorer.native.packing import Packed

COUNTS = re.compile(r"^ *(?:tail )?call void @NRT_(?:inc|dec)ref\(.*\n", re.MULTILINE)
"""Lines of LLVM's assembly that count references to arrays."""
SIGNATURE = types.int64(types.CPointer(types.int64))


def compile_kernel(kernel: Any, arguments: Sequence[object]) -> Code:
    """Compile a kernel for the types of some arguments.

    The code is a function of one argument, the address of the words that
    `packing.pack` makes of the kernel's arguments.
    """
    names: dict[str, Any] = {
        "kernel": kernel,
        "carray": carray,
        "pointer": pointer,
        "np": np,
    }
    words = iter(range(1 << 16))
    parameters = [_expression(argument, words, names) for argument in arguments]
    returns = "return " if kernel.py_func.__annotations__["return"] != "None" else ""
    source = (
        "def entry(address):\n"
        f"    words = carray(address, ({next(words)},))\n"
        f"    {returns}kernel({', '.join(parameters)})\n"
        f"    {'' if returns else 'return 0'}\n"
    )
    exec(source, names)
    entry = cfunc(SIGNATURE)(names["entry"])
    module = _optimized(entry.inspect_llvm())
    needed = [
        symbol.name
        for symbol in (*module.functions, *module.global_variables)
        if symbol.is_declaration and not symbol.name.startswith("llvm.")
    ]
    code = target_machine().emit_object(module)
    return Code(entry.native_name, tuple(needed), code)


def _optimized(assembly: str) -> Any:
    """Module of what numba made, without counts of references to arrays.

    The caller of a kernel owns its arrays, and a kernel makes none. To count how often
    each is in use took a fifth to a third of the time of walks.
    """
    module = binding.parse_assembly(COUNTS.sub("", assembly))
    options = binding.create_pipeline_tuning_options(speed_level=2)
    builder = binding.create_pass_builder(target_machine(), options)
    builder.getModulePassManager().run(module, builder)
    return module


def _expression(argument: object, words: Iterator[int], names: dict[str, Any]) -> str:
    """Expression by which the entry gets an argument back out of the words."""
    if isinstance(argument, Packed):
        argument = argument.argument
    if isinstance(argument, np.ndarray):
        address = next(words)
        shape = "".join(f"words[{next(words)}], " for _ in argument.shape)
        dtype = f"np.{argument.dtype.name}"
        return f"carray(pointer(words[{address}]), ({shape}), {dtype})"
    if isinstance(argument, tuple):
        name = type(argument).__name__
        names[name] = type(argument)
        return (
            f"{name}({', '.join(_expression(part, words, names) for part in argument)})"
        )
    return f"words[{next(words)}]"
