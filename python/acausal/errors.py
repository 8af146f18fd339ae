"""What goes wrong, as exceptions."""
from __future__ import annotations

from typing import Any, Sequence


class Error(Exception):
    """Something is wrong with a model, or with what was asked of it. `diagnostics` has one dict for each finding."""

    def __init__(self, text: str, diagnostics: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(text)
        self.diagnostics = list(diagnostics)


class RunError(Error):
    """A run that began and did not come to its end; `result` has all rows so far, `time` says how far it came."""

    def __init__(self, text: str, diagnostics: Sequence[dict[str, Any]], result: Any, time: float) -> None:
        super().__init__(text, diagnostics)
        self.result = result
        self.time = time
