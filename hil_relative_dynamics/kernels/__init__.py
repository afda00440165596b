"""The inner loops in C: one call per block and tick.

Small matrices cost more to dispatch from Python than to compute. So the laws of the method are written
once, in the C files beside this one, and the blocks of `matching/` share memory with them. The library
is plain C loaded with ctypes. `PyDLL` keeps the interpreter lock during a call of a few microseconds:
giving it away would let another thread take it for milliseconds.
"""
from __future__ import annotations

import ctypes
import sysconfig
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np


def _load() -> ctypes.PyDLL:
    folder = Path(__file__).parent
    library = folder / f"_kernels{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not library.exists():
        remedy = "run 'make setup' or 'colcon build'"
        raise ImportError(f"the compiled kernels {library.name} are missing in {folder}: {remedy}")
    return ctypes.PyDLL(str(library))


_LIBRARY = _load()


def function(name: str, pointers: int, doubles: int = 0) -> Callable[..., None]:
    """A kernel that takes addresses and then numbers, and answers through memory."""
    kernel = getattr(_LIBRARY, name)
    kernel.argtypes = [ctypes.c_void_p] * pointers + [ctypes.c_double] * doubles
    kernel.restype = None
    return kernel


class Workspace:
    """Memory shared with a C struct: named numpy views, laid out in order, at one address.

    >>> memory = Workspace(wrench=6, nominal=(3, 19))
    >>> memory.wrench[2] = 1.0
    >>> memory.nominal[...] = points  # half the cost of [:], which makes a view first
    """

    def __init__(self, **fields: int | tuple[int, ...]) -> None:
        sizes = [np.atleast_1d(shape) for shape in fields.values()]
        self._memory = np.zeros(sum(int(prod(size)) for size in sizes))
        self.address = self._memory.ctypes.data
        start = 0
        for name, size in zip(fields, sizes):
            end = start + int(prod(size))
            setattr(self, name, self._memory[start:end].reshape(tuple(size)))
            start = end

    def address_of(self, name: str) -> int:
        return int(getattr(self, name).ctypes.data)

    if TYPE_CHECKING:  # the fields; at run time this would slow every access to them

        def __getattr__(self, name: str) -> Any: ...
