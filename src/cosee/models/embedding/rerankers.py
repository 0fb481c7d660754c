"""Rerankers from a local folder: a question and a passage read together, one score."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import RerankerSettings
from cosee.models.calls import ModelError
from cosee.models.embedding.embedders import resolve_precision
from cosee.models.embedding.thresholds import PASSAGE_TOKENS, PASSAGES_AT_ONCE, QUESTION_TOKENS, READ_TOKENS
from cosee.models.local.transformers_loading import (
    load,
    load_part,
    model_folder,
    resolve_device,
    revision,
    stay_offline,
)

if TYPE_CHECKING:
    import torch

_PASSAGE, _QUESTION = "[passage]", "[question]"
_SYSTEM = "You judge whether a page of a document answers a question."
_ASKED = (
    f"Page:\n{_PASSAGE}\n\nQuestion: {_QUESTION}\nDoes this page contain the answer to the question? Answer Yes or No."
)
_YES, _NO = ("Yes", "yes"), ("No", "no")
_THOUGHT, _THOUGHT_END = "<think>", "</think>"
_SCALES = ("logits_scaling", "logit_scale", "final_logit_softcapping", "dim_model_base")
"""What some families do to their logits after the output layer, by its name in config.json."""
_TODAY = re.compile(r"strftime_now\([^()]*\)")
_DAY = "26 Jul 2024"
"""Stands for today in templates that name it, so that a question is read tomorrow as it is today."""


class PassageReranker(ABC):
    """A model from the folder that the settings name, loaded on the first call."""

    loader: str
    """The class of transformers that loads it."""

    def __init__(self, settings: RerankerSettings) -> None:
        assert settings.model_path is not None
        self.settings = settings
        self.folder = model_folder(settings.model_path)
        self.name = self.folder.resolve().name
        self.revision = revision(self.folder, PASSAGE_TOKENS, READ_TOKENS, QUESTION_TOKENS, _SYSTEM, _ASKED, _YES, _NO)

    @cached_property
    def _tokenizer(self) -> Any:
        stay_offline()
        from transformers import AutoTokenizer

        return load_part("tokenizer", AutoTokenizer, self.folder)

    @cached_property
    def _model(self) -> Any:
        stay_offline()
        device = resolve_device(self.settings.device)
        import torch
        import transformers

        if device == "cpu":
            torch.set_num_threads(1)
        # A CPU that does not compute in half precision takes several times as long in it.
        dtype = "float32" if device == "cpu" and resolve_precision("auto") == "float32" else "auto"
        return load(getattr(transformers, self.loader), self.folder, device=device, dtype=dtype)

    @cached_property
    def _markers(self) -> list[str]:
        """What the tokenizer reads as one token of its own wherever it stands: ends of turns, separators."""
        return sorted(each for each in self._tokenizer.get_added_vocab() if len(each) > 1)

    def _plain(self, text: str) -> str:
        """Text that is not ours, with a space in whatever spells a marker."""
        for marker in self._markers:
            text = text.replace(marker, f"{marker[:1]} {marker[1:]}")
        return text

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """Log odds that each passage answers the question, to 4 digits (later ones depend on the batch).

        Raises:
            ModelError: the model does not load, or a score is not finite.
        """
        import torch

        try:
            with torch.inference_mode():
                found = [round(score, 4) for score in self._scores(question, passages)]
        except ModelError:
            raise
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(f"{self.name}: {type(error).__name__}: {error}") from error
        if not all(map(math.isfinite, found)):
            raise ModelError(f"{self.name}: a score is not finite")
        return found

    @abstractmethod
    def _scores(self, question: str, passages: Sequence[str]) -> list[float]: ...


class CrossEncoder(PassageReranker):
    """A sequence classifier of transformers, as cross-encoders of sentence-transformers are.

    With one label a score is its logit, with two that of the second less that of the first.
    """

    loader = "AutoModelForSequenceClassification"

    def _scores(self, question: str, passages: Sequence[str]) -> list[float]:
        found = [0.0] * len(passages)
        order = sorted(range(len(passages)), key=lambda place: (len(passages[place]), place))
        for start in range(0, len(order), PASSAGES_AT_ONCE):
            batch = order[start : start + PASSAGES_AT_ONCE]
            for place, score in zip(batch, self._batch(question, [passages[each] for each in batch]), strict=True):
                found[place] = score
        return found

    def _batch(self, question: str, passages: list[str]) -> list[float]:
        labels = self._model.config.num_labels
        if labels not in (1, 2):
            raise ModelError(f"the reranker in {self.folder.name!r} has {labels} labels; 1 or 2 are expected")
        inputs = self._tokenizer(
            [self._plain(question)] * len(passages),
            [self._plain(each) for each in passages],
            truncation=True,
            max_length=min(PASSAGE_TOKENS, self._tokenizer.model_max_length),
            padding=True,
            return_tensors="pt",
        )
        logits = self._model(**inputs.to(self._model.device)).logits.float().cpu()
        found: list[float] = (logits[:, 0] if labels == 1 else logits[:, 1] - logits[:, 0]).tolist()
        return found


class LanguageModel(PassageReranker):
    """A language model that is asked whether the passage answers the question, one passage at a time.

    A score is the log odds of a reply that begins with "Yes" against one with "No" (R. Nogueira et al., 2020,
    "Document Ranking with a Pretrained Sequence-to-Sequence Model"). What texts contain is never read as a
    marker of the chat.
    """

    loader = "AutoModelForCausalLM"

    @cached_property
    def _frame(self) -> tuple[list[int], list[int], list[int]]:
        """The tokens before the passage, between it and the question, and after that."""
        template, failed = self._tokenizer.chat_template, f"the chat template in {self.folder.name!r}"
        prompt = f"{_SYSTEM}\n\n{_ASKED}\n" if template is None else self._chat(failed)
        before, passage, rest = prompt.partition(_PASSAGE)
        between, question, after = rest.partition(_QUESTION)
        if not (passage and question):
            raise ModelError(f"{failed} leaves out what it is given as text")
        if _THOUGHT in after and _THOUGHT_END not in after:
            raise ModelError(f"{failed} lets the model think before it replies; take one that answers at once")
        start = self._tokenizer(before, add_special_tokens=template is None)["input_ids"]
        if start and start[-1] == self._tokenizer.eos_token_id:
            start.pop()
        return start, self._parsed(between), self._parsed(after)

    def _chat(self, failed: str) -> str:
        from jinja2 import TemplateError

        messages = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": _ASKED}]
        try:
            prompt: str = self._tokenizer.apply_chat_template(
                messages,
                chat_template=_TODAY.sub(repr(_DAY), self._tokenizer.get_chat_template()),
                tokenize=False,
                add_generation_prompt=True,
                enable_thinking=False,
                date_string=_DAY,
            )
        except (TemplateError, TypeError, ValueError) as error:
            raise ModelError(f"{failed} fails: {error}") from error
        return prompt

    def _parsed(self, text: str) -> list[int]:
        found: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    def _tokens(self, text: str) -> list[int]:
        """The tokens of text that is not ours."""
        return self._parsed(self._plain(text))

    @cached_property
    def _replies(self) -> tuple[torch.Tensor, torch.Tensor, int]:
        """The rows of the output layer for the first tokens of ``_YES``, then of ``_NO``, what they add to each, and
        how many are of the first; in single precision, since a step of half precision is as large as what tells two
        passages apart."""
        import torch

        yes, no = ([self._parsed(word)[0] for word in words] for words in (_YES, _NO))
        layer, config = self._model.get_output_embeddings(), self._model.config.get_text_config()
        scaled = next((name for name in _SCALES if getattr(config, name, None) not in (None, 1, 1.0)), None)
        if layer is None or scaled or set(yes) & set(no):
            why = f"its logits have a {scaled!r}" if scaled else "'Yes' and 'No' are not told apart in its output"
            raise ModelError(f"the language model in {self.folder.name!r} cannot rerank: {why}")
        rows = layer.weight[yes + no].float()
        added = torch.zeros(len(rows), device=rows.device) if layer.bias is None else layer.bias[yes + no].float()
        return rows, added, len(yes)

    def _scores(self, question: str, passages: Sequence[str]) -> list[float]:
        asked = self._tokens(question)[:QUESTION_TOKENS]
        return [self._read(asked, self._tokens(passage)[:READ_TOKENS]) for passage in passages]

    def _read(self, asked: list[int], passage: list[int]) -> float:
        import torch

        before, between, after = self._frame
        tokens = torch.tensor([[*before, *passage, *between, *asked, *after]], device=self._model.device)
        last = self._model.base_model(input_ids=tokens).last_hidden_state[0, -1].float()
        rows, added, count = self._replies
        logits = rows @ last + added
        return float(logits[:count].logsumexp(0) - logits[count:].logsumexp(0))


class SeeingLanguageModel(LanguageModel):
    """The language part of a vision-language model (Qwen3-VL)."""

    loader = "AutoModelForImageTextToText"


_KINDS: dict[str, type[PassageReranker]] = {
    "ForSequenceClassification": CrossEncoder,
    "ForCausalLM": LanguageModel,
    "ForConditionalGeneration": SeeingLanguageModel,
}
"""By how the name of the architecture in config.json ends."""


def _kind(folder: Path) -> type[PassageReranker]:
    try:
        named = files.read_json(folder / "config.json")["architectures"][0]
    except (ArtifactError, KeyError, IndexError, TypeError) as error:
        raise ModelError(f"{folder / 'config.json'}: no usable 'architectures' ({error})") from error
    for ending, kind in _KINDS.items():
        if str(named).endswith(ending):
            return kind
    raise ModelError(
        f"the model folder {str(folder)!r} holds a {named!r}; a reranker is a sequence classifier or a language "
        f"model (architecture ...{', ...'.join(_KINDS)})"
    )


@lru_cache(maxsize=2)
def _loaded(settings: str) -> PassageReranker:
    parsed = RerankerSettings.model_validate_json(settings)
    assert parsed.model_path is not None
    return _kind(model_folder(parsed.model_path))(parsed)


def load_reranker(settings: RerankerSettings) -> PassageReranker | None:
    """The reranker of the configuration, once a process; None where none is named.

    Raises:
        ModelError: there is no such folder, or it holds no reranker.
    """
    return None if settings.model_path is None else _loaded(settings.model_dump_json())
