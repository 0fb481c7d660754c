"""What a server is asked before the first call: one small prompt with everything that calls will need."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image
from pydantic import BaseModel

from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Sampling
from cosee.models.messages import image_block, instruction_block
from cosee.models.served.thresholds import PROBE_PICTURE_SIDE, PROBE_TOKENS

PROMPT_ID, WORDS = "probe", 'Reply with {"ok": true} and nothing else.'
SAMPLING = Sampling(max_new_tokens=PROBE_TOKENS, temperature=0.0)


class ProbeReply(BaseModel):
    """What the probe asks for."""

    ok: bool


@dataclass(frozen=True)
class Found:
    """What is known of a server. How many pictures a prompt may have, none tells before it refuses too many."""

    has_list: bool
    """Whether it has a list of models, in which the model stands."""
    takes_pictures: bool
    takes_schema: bool
    context: int | None = None
    """Tokens; None where it does not tell."""
    refused: tuple[str, ...] = ()
    """Parameters that it is not sent."""

    def __str__(self) -> str:
        told = [
            "has the model" if self.has_list else "has no list of models",
            "takes pictures" if self.takes_pictures else "is sent no pictures",
            "takes a schema" if self.takes_schema else "takes no schema (replies are checked here)",
        ]
        if self.context is not None:
            told.append(f"context of {self.context} tokens")
        if self.refused:
            told.append(f"is asked without {', '.join(self.refused)}")
        return ", ".join(told)


def prompt(*, picture: bool) -> list[Message]:
    """A few words, with a small white picture where the model is said to see."""
    blocks = [instruction_block(PROMPT_ID, WORDS)]
    if picture:
        blocks.insert(0, image_block(PageImage(1, Image.new("RGB", (PROBE_PICTURE_SIDE, PROBE_PICTURE_SIDE), "white"))))
    return [Message(tuple(blocks))]
