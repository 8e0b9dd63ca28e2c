"""Decorators of kernels, and machine instructions that numba itself does not offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

NONE = np.uint64(0)
ONE = np.uint64(1)
FOR_READING, FOR_WRITING = 0, 1
KEEP_IN_ALL_CACHES, DATA_CACHE = 3, 1

compiled = njit(nogil=True)
inlined = njit(nogil=True, inline="always")


@intrinsic
def trailing_zeros(typing_context: Any, word: Any) -> Any:
    """The number of the lowest bit that is set in a word other than 0."""
    signature = types.int64(types.uint64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return signature, generate


@intrinsic
def equal_halves(typing_context: Any, array: Any, index: Any, wanted: Any) -> Any:
    """Compare 16 numbers of four bytes with one: bit ``i`` is of ``index + i``."""
    signature = types.uint64(array, types.int64, types.uint32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        half, line = ir.IntType(32), ir.VectorType(ir.IntType(32), 16)
        address = builder.gep(view.data, [arguments[1]])
        found = builder.load(builder.bitcast(address, line.as_pointer()), align=4)
        one = builder.insert_element(
            ir.Constant(line, ir.Undefined), arguments[2], ir.Constant(half, 0)
        )
        everywhere = ir.Constant(ir.VectorType(half, 16), [0] * 16)
        wanted = builder.shuffle_vector(one, one, everywhere)
        equal = builder.icmp_unsigned("==", found, wanted)
        return builder.zext(builder.bitcast(equal, ir.IntType(16)), ir.IntType(64))

    return signature, generate


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Ask the memory for an element of a contiguous array, without waiting for it."""
    return types.void(array, types.int64), _prefetching(FOR_READING)


@intrinsic
def prefetch_to_write(typing_context: Any, array: Any, index: Any) -> Any:
    """As `prefetch`, and take the element away from the caches of other cores."""
    return types.void(array, types.int64), _prefetching(FOR_WRITING)


def _prefetching(purpose: int) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = ir.IntType(8).as_pointer()
        word = ir.IntType(32)
        address = builder.bitcast(builder.gep(view.data, [arguments[1]]), byte)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, word, word, word]),
            "llvm.prefetch.p0",
        )
        hints = (purpose, KEEP_IN_ALL_CACHES, DATA_CACHE)
        builder.call(function, [address, *(ir.Constant(word, hint) for hint in hints)])
        return context.get_dummy_value()

    return generate


@intrinsic
def pointer(typing_context: Any, address: Any) -> Any:
    """An address as a pointer."""
    signature = types.voidptr(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.get_value_type(signature.return_type)
        return builder.inttoptr(arguments[0], kind)

    return signature, generate
