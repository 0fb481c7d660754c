"""Drawing tokens: penalties, temperature, top-k and top-p for one row, each row with a seed of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cosee.models.calls import Sampling
from cosee.models.thresholds import STOP_TAIL_TOKENS

if TYPE_CHECKING:
    import torch

_THINKING = re.compile(r"<think>.*?</think>\s*", re.DOTALL)
_UNOPENED = re.compile(r"\A.*?</think>\s*", re.DOTALL)


def strip_thinking(text: str) -> str:
    """The reply without ``<think>...</think>``, also where the template opened it before the reply.

    A thought that was cut off before its end leaves nothing: there is no reply after it.
    """
    text = _UNOPENED.sub("", _THINKING.sub("", text))
    return text.partition("<think>")[0].strip()


class Row:
    """The reply of one prompt as it grows. ``tokens`` are the ids drawn so far, without the end token."""

    def __init__(
        self,
        prompt: torch.Tensor,
        sampling: Sampling,
        end_tokens: frozenset[int],
        decode: Callable[[Sequence[int]], str],
    ) -> None:
        import torch

        self.prompt = prompt
        self.sampling = sampling
        self.tokens: list[int] = []
        self.finish_reason: str | None = None
        self._end_tokens = end_tokens
        self._decode = decode
        self._generator = torch.Generator().manual_seed(_seed(sampling))

    @property
    def text(self) -> str:
        """The reply's text so far, cut before a stop string."""
        text = self._decode(self.tokens)
        cuts = [text.find(stop) for stop in self.sampling.stop if stop in text]
        return text[: min(cuts)] if cuts else text

    def take(self, logits: torch.Tensor) -> int:
        """Draw the next token from ``logits`` (vocabulary, float32, CPU) and note whether the reply ends with it."""
        token = self._draw(self._penalised(logits))
        if token in self._end_tokens:
            self.finish_reason = "stop"
            return token
        self.tokens.append(token)
        if self.sampling.stop and self._holds_stop():
            self.finish_reason = "stop"
        elif len(self.tokens) >= self.sampling.max_new_tokens:
            self.finish_reason = "length"
        return token

    def _penalised(self, logits: torch.Tensor) -> torch.Tensor:
        """Repetition counts prompt and reply and scales (CTRL, arXiv:1909.05858); presence counts the reply, subtracts.

        The presence penalty is that of the OpenAI protocol: once for a token that the reply holds already.
        """
        import torch

        penalty = self.sampling.repetition_penalty
        if penalty != 1.0:
            seen = torch.unique(torch.cat([self.prompt, torch.tensor(self.tokens, dtype=self.prompt.dtype)]))
            scores = logits[seen]
            logits = logits.clone()
            logits[seen] = torch.where(scores < 0, scores * penalty, scores / penalty)
        if self.sampling.presence_penalty and self.tokens:
            logits = logits.clone()
            logits[torch.tensor(sorted(set(self.tokens)))] -= self.sampling.presence_penalty
        return logits

    def _draw(self, logits: torch.Tensor) -> int:
        import torch

        sampling = self.sampling
        if sampling.temperature == 0:
            return int(torch.argmax(logits))
        count = min(sampling.top_k or len(logits), len(logits))
        values, ids = torch.topk(logits / sampling.temperature, count)
        shares = torch.softmax(values, dim=-1)
        before = torch.cumsum(shares, dim=-1) - shares
        shares = shares * (before < sampling.top_p)
        return int(ids[torch.multinomial(shares, 1, generator=self._generator)])

    def _holds_stop(self) -> bool:
        longest = max(len(stop) for stop in self.sampling.stop)
        tail = self._decode(self.tokens[-(longest + STOP_TAIL_TOKENS) :])
        return any(stop in tail for stop in self.sampling.stop)


def _seed(sampling: Sampling) -> int:
    """One number for seed and sample, so that repeated draws differ and repeat."""
    return (sampling.seed * 1_000_003 + sampling.sample) % (1 << 63)


def presence_processor(prompt_length: int, penalty: float) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """The presence penalty as a logits processor of ``model.generate``, which has none of its own."""

    def process(input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        drawn = input_ids[:, prompt_length:]
        if not penalty or drawn.shape[1] == 0:
            return scores
        return scores.scatter(1, drawn, scores.gather(1, drawn) - penalty)

    return process
