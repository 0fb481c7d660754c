"""The methods of a run: ``runs.<name>.methods`` of the configuration, one class a strategy."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from cosee.artifacts.base import Record
from cosee.artifacts.settings.modules import CHANNELS, PAGES, READING, SEARCH, Module

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

    pages: int | None = Field(
        None, ge=1, description="Pages given to the reader, best first. Default: 5, and 10 where there is no model."
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


class ConstantMethod(MethodBase):
    """Always 'Not answerable'."""

    strategy: Literal["constant"] = Field("constant", description="Selects this method.")


class PageRagMethod(PagesMethod):
    """Retrieve pages, read them once, answer."""

    strategy: Literal["page_rag"] = Field("page_rag", description="Selects this method.")


class ChunkRagMethod(AskingMethod):
    """Retrieve chunks of text and tables, read them once, answer: retrieval without pages, tree or pictures."""

    MODULES = frozenset(("bm25f", "dense", "ocr"))

    strategy: Literal["chunk_rag"] = Field("chunk_rag", description="Selects this method.")
    retrieval: Literal["fused", "sparse", "dense"] = Field(
        "fused", description="BM25 over chunks, their vectors, or reciprocal rank fusion of both."
    )
    chunks: int = Field(10, ge=1, description="Chunks given to the reader, best first.")


class OraclePagesMethod(PagesMethod):
    """Read the gold pages once: the ceiling of retrieval, for analysis only. Questions without gold pages are given
    retrieved ones."""

    MODULES = READING

    strategy: Literal["oracle_pages"] = Field("oracle_pages", description="Selects this method.")


class WholeDocumentMethod(AskingMethod):
    """A method that searches nothing: it is given the document from its first page on."""

    context_tokens: int = Field(
        32_768, ge=1_024, description="Room for the document in tokens, where the model's context does not set less."
    )


class DirectMethod(WholeDocumentMethod):
    """As many pages as fit, with their pictures, in document order, read once."""

    MODULES = READING

    strategy: Literal["direct"] = Field("direct", description="Selects this method.")


class FullTextMethod(WholeDocumentMethod):
    """The text of the whole document, cut where the room ends, read once without pictures."""

    MODULES = frozenset(("ocr",))

    strategy: Literal["full_text"] = Field("full_text", description="Selects this method.")


class SingleAgentMethod(PagesMethod):
    """One call that reasons step by step before it answers (seed 001 section 7)."""

    strategy: Literal["single_agent_cot"] = Field("single_agent_cot", description="Selects this method.")


class SelfConsistencyMethod(PagesMethod):
    """Several sampled calls that reason step by step, and the majority of their answers (seed 001 section 7)."""

    strategy: Literal["self_consistency"] = Field("self_consistency", description="Selects this method.")
    samples: int = Field(3, ge=1, le=40, description="Calls a question (N).")


class ChatMethod(PagesMethod):
    """Agents that talk in turns, with the text of the conversation as their only memory (seed 001 section 7)."""

    strategy: Literal["multi_agent_chat_no_board"] = Field(
        "multi_agent_chat_no_board", description="Selects this method."
    )
    agents: list[AgentRole] = Field(ROLES, min_length=1, description="Who speaks, in this order.")
    max_turns: int = Field(2, ge=1, le=10, description="Turns; in each, every agent speaks once.")


class CoSeeMethod(PagesMethod):
    """Role agents over a shared board (seeds 000, 001). A preset sets what is not given: ``cosee_base`` and ``cosee``
    three agents and two rounds, ``cosee_light`` two agents, ``cosee_expanded`` three rounds."""

    MODULES = SEARCH | PAGES | {"board"}
    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "cosee_light": {"agents": ["detail_reader", "cross_checker"]},
        "cosee_expanded": {"max_steps": 3},
    }

    strategy: Literal["cosee", "cosee_base", "cosee_light", "cosee_expanded"] = Field(
        "cosee", description="Selects this method, and its preset."
    )
    agents: list[AgentRole] = Field(ROLES, min_length=1, description="Who acts, in this order.")
    max_steps: int = Field(2, ge=1, le=10, description="Rounds at most (T).")
    order: Literal["sequential", "parallel"] = Field(
        "sequential", description="'parallel' shows every agent the board as the round began, and asks them as a batch."
    )
    agent_generation: dict[AgentRole, GenerationSettings] = Field(
        default_factory=dict, description="How one agent's replies are drawn, over 'generation'."
    )
    stop_confidence: float = Field(0.8, ge=0, le=1, description="A hypothesis at or above it ends the rounds.")
    stop_agreement: int = Field(2, ge=2, description="So many agents with the same answer end the rounds.")
    max_cells_per_page: int = Field(8, ge=1, description="Newest cells of a page that the board's text shows.")
    max_total_chars: int = Field(2000, ge=200, description="Bound of the board's text; the oldest cells go first.")

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, value: Any) -> Any:
        return {**cls.PRESETS.get(str(value.get("strategy")), {}), **value} if isinstance(value, dict) else value


class DecisionMethod(AskingMethod):
    """A decision agent that picks one tool after the other until it can answer (seed 003)."""

    MODULES = SEARCH

    strategy: Literal["decision"] = Field("decision", description="Selects this method.")
    max_iterations: int = Field(8, ge=1, le=50, description="Decisions at most; then the answer is forced.")


class NavigatorMethod(AskingMethod):
    """A planner, observers and a reasoner move through the document's tree (seed 002)."""

    MODULES = SEARCH | {"planner"}

    strategy: Literal["navigator"] = Field("navigator", description="Selects this method.")
    pages: int = Field(5, ge=1, description="Places (pages, sections or nodes) that one plan goes to.")
    max_rounds: int = Field(2, ge=1, le=10, description="Plans at most for a question, or for a part of one.")
    nodes: int = Field(200, ge=1, description="Nodes observed in a round at most.")
    images: int = Field(4, ge=0, description="New figures a round that a model which sees is shown.")
    replan_below: float = Field(0.2, ge=0, le=1, description="An answer with less confidence is looked for elsewhere.")
    sub_questions: int = Field(3, ge=1, le=6, description="Parts of a compound question at most; 1 splits none.")


Method = Annotated[
    ConstantMethod
    | DirectMethod
    | FullTextMethod
    | PageRagMethod
    | ChunkRagMethod
    | OraclePagesMethod
    | SingleAgentMethod
    | SelfConsistencyMethod
    | ChatMethod
    | CoSeeMethod
    | NavigatorMethod
    | DecisionMethod,
    Field(discriminator="strategy"),
]
