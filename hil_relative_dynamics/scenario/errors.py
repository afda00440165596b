"""The one error a bad scenario gives, said in one sentence."""
from __future__ import annotations

from os import PathLike
from reprlib import Repr

MISSING = object()
"""Stands for the value of a key that is not there."""


class _Shown(Repr):
    """A value as its author wrote it in YAML, cut to a readable length."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxlist, self.maxtuple, self.maxdict = 3, 9, 9, 3
        self.maxstring = self.maxother = self.maxlong = 80

    def repr_bool(self, value: bool, level: int) -> str:
        return str(value).lower()

    def repr_NoneType(self, value: None, level: int) -> str:
        return "null"

    def repr_PosixPath(self, value: PathLike[str], level: int) -> str:
        return str(value)


_shown = _Shown().repr


class ScenarioError(ValueError):
    """A scenario that must not start: file, key, value and what is allowed.

    `allowed` continues the sentence after the value: "must be a positive number [kg]".
    An empty key means the file as a whole.
    """

    def __init__(self, file: str | PathLike[str], key: str, value: object, allowed: str) -> None:
        super().__init__(file, key, value, allowed)
        self.file, self.key, self.value, self.allowed = str(file), key, value, allowed

    def __str__(self) -> str:
        if not self.key:
            return f"{self.file} {self.allowed}."
        if self.value is MISSING:
            return f"{self.file}: {self.key} is missing, it {self.allowed}."
        return f"{self.file}: {self.key} = {_shown(self.value)} {self.allowed}."
