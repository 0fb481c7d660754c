"""Cross-encoders from a local folder: a question and a passage read together, one score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from cosee.artifacts.settings.index import RerankerSettings
from cosee.models.calls import ModelError
from cosee.models.embedding.thresholds import PASSAGE_TOKENS, PASSAGES_AT_ONCE
from cosee.models.local.transformers_loading import (
    load,
    load_part,
    model_folder,
    resolve_device,
    revision,
    stay_offline,
)


class PassageReranker:
    """A sequence classifier of transformers, as cross-encoders of sentence-transformers are; loaded on the first call.

    With one label a score is the sigmoid of the logit, with two the probability of the second.
    """

    def __init__(self, settings: RerankerSettings) -> None:
        assert settings.model_path is not None
        self.settings = settings
        self.folder = model_folder(settings.model_path)
        self.name = self.folder.resolve().name
        self.revision = revision(self.folder, PASSAGE_TOKENS)

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
        from transformers import AutoModelForSequenceClassification

        if device == "cpu":
            torch.set_num_threads(1)
        model = load(AutoModelForSequenceClassification, self.folder, device=device, dtype="auto")
        if model.config.num_labels not in (1, 2):
            labels = model.config.num_labels
            raise ModelError(f"the reranker in {self.folder.name!r} has {labels} labels; 1 or 2 are expected")
        return model

    def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers the question, 0..1, to 4 digits (later ones depend on the batch).

        Raises:
            ModelError: the model does not load, or a score is not finite.
        """
        found = [0.0] * len(passages)
        order = sorted(range(len(passages)), key=lambda place: (len(passages[place]), place))
        for start in range(0, len(order), PASSAGES_AT_ONCE):
            batch = order[start : start + PASSAGES_AT_ONCE]
            for place, score in zip(batch, self._batch(question, [passages[each] for each in batch]), strict=True):
                found[place] = round(score, 4)
        if not all(map(math.isfinite, found)):
            raise ModelError(f"{self.name}: a score is not finite")
        return found

    def _batch(self, question: str, passages: list[str]) -> list[float]:
        import torch

        inputs = self._tokenizer(
            [question] * len(passages),
            passages,
            truncation=True,
            max_length=min(PASSAGE_TOKENS, self._tokenizer.model_max_length),
            padding=True,
            return_tensors="pt",
        )
        try:
            with torch.inference_mode():
                logits = self._model(**inputs.to(self._model.device)).logits.float().cpu()
        except (RuntimeError, ValueError, IndexError) as error:
            raise ModelError(f"{self.name}: {type(error).__name__}: {error}") from error
        shares = torch.sigmoid(logits[:, 0]) if logits.shape[1] == 1 else torch.softmax(logits, dim=1)[:, 1]
        return [float(share) for share in shares]


@lru_cache(maxsize=2)
def _loaded(settings: str) -> PassageReranker:
    return PassageReranker(RerankerSettings.model_validate_json(settings))


def load_reranker(settings: RerankerSettings) -> PassageReranker | None:
    """The reranker of the configuration, once a process; None where none is named.

    Raises:
        ModelError: there is no such folder.
    """
    return None if settings.model_path is None else _loaded(settings.model_dump_json())
