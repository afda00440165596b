"""The one error of bring-up."""
from __future__ import annotations


class BringupError(ValueError):
    """Arguments that do not go together; the message says in one sentence which and what is allowed."""
