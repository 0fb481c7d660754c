"""What the settings of methods share, ``runs.<name>.methods`` of the configuration; a method's own are in its file."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from cosee.artifacts.base import Record
from cosee.artifacts.settings.by_name import SettingsOf
from cosee.artifacts.settings.modules import CHANNELS, PAGES, SEARCH, Module
from cosee.registry import METHODS

AgentRole = Literal["scanner", "detail_reader", "cross_checker"]
ROLES: list[AgentRole] = ["scanner", "detail_reader", "cross_checker"]


class MethodBase(Record):
    """What every method has; ``name`` is its name in results, by default its strategy's."""

    MODULES: ClassVar[frozenset[Module]] = frozenset()
    """What can be switched off in this strategy."""

    name: str | None = Field(
        None, pattern=r"^[A-Za-z0-9_.-]{1,64}$", description="Name in files and reports; default: the strategy's."
    )
    without: list[Module] = Field(
        [], description="Modules switched off, to see what they are worth; see docs/compare-and-ablate.md."
    )
    seed: int | None = Field(
        None,
        ge=0,
        description="Seed of what it samples; default: the run's. The name in files then ends in '_seed<n>'.",
    )
    seeds: list[int] | None = Field(
        None, description="Short for as many entries with one 'seed' each; figures are given as mean and spread."
    )

    @model_validator(mode="after")
    def _has_modules(self) -> MethodBase:
        for module in self.without:
            if module not in self.MODULES:
                known = ", ".join(sorted(self.MODULES)) or "none"
                raise ValueError(f"without: {self.strategy_name} has no {module!r} to switch off; it has {known}")
        return self

    def open_calls(self) -> tuple[int, int | None] | None:
        """Fewest and most calls of a question where replies decide how many there are, None for the most where only
        the budget bounds them; None where their number is fixed."""
        return None

    @property
    def strategy_name(self) -> str:
        """The strategy that the settings describe."""
        return str(getattr(self, "strategy", ""))

    @property
    def label(self) -> str:
        """The method's name in files and reports."""
        return self.family if self.seed is None else f"{self.family}_seed{self.seed}"

    @property
    def family(self) -> str:
        """The name without the seed, which entries that differ in their seeds share; by default the strategy's with
        what is switched off."""
        return self.name or "-without-".join(filter(None, (self.strategy_name, "-".join(self.without))))


class GenerationSettings(Record):
    """How replies are drawn; what is not given is the method's own."""

    max_new_tokens: int | None = Field(None, ge=1, description="Tokens of a reply at most.")
    temperature: float | None = Field(None, ge=0, description="0 takes the likeliest token.")
    top_p: float | None = Field(None, gt=0, le=1, description="Share of the likeliest tokens that are drawn from.")
    top_k: int | None = Field(None, ge=0, description="Number of tokens that are drawn from; 0: all.")
    repetition_penalty: float | None = Field(None, gt=0, description="Above 1: what was written is less likely.")
    presence_penalty: float | None = Field(None, description="Taken off what was written already.")

    def given(self) -> dict[str, Any]:
        """What was given, by the names of ``Sampling``."""
        return self.model_dump(exclude_none=True)


class AskingMethod(MethodBase):
    """A method that asks the run's model."""

    generation: GenerationSettings = Field(GenerationSettings(), description="How the model's replies are drawn.")


class PagesMethod(AskingMethod):
    """A method that reads retrieved pages."""

    MODULES = SEARCH | PAGES

    pages: Annotated[int, Field(ge=1)] | Literal["auto"] | None = Field(
        None,
        description="Pages given to the reader, best first. 'auto' gives as many as the question is likely to need: "
        "until the chance that one is missing is small. Default: auto, and 10 where there is no model.",
    )
    retrieval: Literal["fused", "sparse", "dense"] = Field(
        "fused", description="What finds the pages: words and vectors together, words alone, or vectors alone."
    )

    @model_validator(mode="after")
    def _searches(self) -> PagesMethod:
        used = {"sparse", "dense"} if self.retrieval == "fused" else {self.retrieval}
        if used <= {CHANNELS[module] for module in self.without if module in CHANNELS}:
            raise ValueError(f"without: nothing is left to search with, retrieval being {self.retrieval!r}")
        return self


class WholeDocumentMethod(AskingMethod):
    """A method that searches nothing: it is given the document from its first page on."""

    context_tokens: int = Field(
        32_768, ge=1_024, description="Room for the document in tokens, where the model's context does not set less."
    )


Method = Annotated[MethodBase, SettingsOf(METHODS, "strategy")]
"""The settings of one method, chosen by ``strategy``; a bare name is a method with its defaults."""
