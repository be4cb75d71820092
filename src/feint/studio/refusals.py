"""What addresses for programs have in common: how they refuse, and what is sent where nothing needs to be said."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class Problem(BaseModel):
    """Why something was refused."""

    error: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem} for status in (400, 403, 404, 409, 413, 415, 422)
}


class Nothing(BaseModel, extra="forbid"):
    """Nothing needs to be said."""
