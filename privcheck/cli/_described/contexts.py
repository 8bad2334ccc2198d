"""The contexts of `privcheck audit` and `privcheck certify`, from their options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privcheck.cli._declared_options import said
from privcheck.cli._options import context_space
from privcheck.declared import Declared
from privcheck.targets import PLAYED, Game, like

if TYPE_CHECKING:
    from privcheck.privacy import Contexts


@dataclass(frozen=True)
class ContextOptions(Declared):
    """What describes contexts on the command line: their shape and their norm."""

    contexts: str | None = like(Game, "contexts")
    context_norm: float | None = said("Largest L2 norm of a context vector.", PLAYED, read_as="number")

    def made(self) -> Contexts | None:
        """Return the contexts."""
        return context_space(self.contexts, self.context_norm)
