"""What the kept prompt states save: three agents, three rounds, eight pages, on a tiny Qwen3-VL with random weights.

``python -m benchmarks.prefix_reuse --json OUT``. A page is about 1,000 picture and 500 text tokens; the roles are
distinct, and the board grows every round, to 2,000 characters. Both clients run the same nine calls, turn by turn.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.common import print_table, write_report
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Sampling
from cosee.models.local.qwen_vl_wrapper import QwenVLClient
from cosee.models.messages import board_block, evidence_message, instruction_block, page_text_block, role_block

PAGES, ROUNDS = 8, 3
PICTURE = (1024, 1024)
"""Pixels: 32 x 32 positions of 32 pixels each."""
PAGE_CHARACTERS, BOARD_CHARACTERS = 1_500, 2_000
VOCABULARY = (
    "the", "total", "net", "sales", "of", "table", "page", "year", "figure", "section", "revenue", "question", "answer",
    "2022", "394,328",
)  # fmt: skip
ROLES = (
    "You are the scanner. Look at every page and note where titles, tables and figures stand.",
    "You are the detail reader. Read the numbers and names that the question needs, with their units.",
    "You are the cross checker. Compare the notes of the others with the pages and correct them.",
)


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--tokens", type=int, default=16, help="tokens of a reply")
    options = parser.parse_args()
    sampling = Sampling(temperature=0, max_new_tokens=options.tokens, presence_penalty=0, repetition_penalty=1.5)
    with tempfile.TemporaryDirectory() as folder:
        model = build_tiny_qwen3vl(Path(folder) / "tiny")
        clients = {"reuse": QwenVLClient(str(model)), "none": QwenVLClient(str(model), prefix_gib=0)}
        seconds = dict.fromkeys(clients, 0.0)
        replies: dict[str, list[str]] = {name: [] for name in clients}
        for name, client in clients.items():
            client.generator._end_tokens = frozenset()  # random weights would end most replies at once
            client.generator._decode = lambda tokens: " ".join(map(str, tokens))
            client.chat([Message((instruction_block("warm", "up"),))], sampling)
            client.generator.counts.prompt_tokens = client.generator.counts.computed_tokens = 0
            print(f"{name}: ready", file=sys.stderr)
        for messages in conversation():
            for name, client in clients.items():
                started = time.perf_counter()
                replies[name].append(client.chat(messages, sampling).text)
                seconds[name] += time.perf_counter() - started
        counts = clients["reuse"].generator.counts
    one_call = counts.prompt_tokens / len(replies["reuse"])
    figures = {
        "computed_tokens_ratio": counts.computed_tokens / one_call,
        "wall_ratio": seconds["reuse"] / seconds["none"],
        "outputs_equal": float(replies["reuse"] == replies["none"]),
    }
    calls = {
        "calls": float(len(replies["reuse"])),
        "tokens a call": one_call,
        "computed": float(counts.computed_tokens),
    }
    print_table(("figure", "value"), [[name, value] for name, value in (calls | figures).items()])
    write_report(
        options.json, "prefix_reuse", figures, {"seconds": seconds, "distinct_replies": len({*replies["none"]})}
    )
    return 0 if figures["outputs_equal"] else 1


def conversation() -> list[list[Message]]:
    """The nine prompts of one question, in order."""
    words = random.Random(7)
    pages = [picture_and_text(page, words) for page in range(1, PAGES + 1)]
    images = [image for image, _ in pages]
    evidence = [page_text_block(page, None, text) for page, (_, text) in enumerate(pages, start=1)]
    prompts = []
    lines: list[str] = []
    for step in range(1, ROUNDS + 1):
        for role in ROLES:
            board = board_block("\n".join(lines)[:BOARD_CHARACTERS]) if lines else None
            prompts.append(
                [
                    evidence_message(
                        "What were total net sales in 2022?",
                        images=images,
                        evidence=evidence,
                        instruction=instruction_block("read", "Reply with one action as JSON."),
                        board=board,
                        role=role_block(role),
                    )
                ]
            )
            lines.append(f"- (#{len(lines) + 1}, step {step}) {sentence(words, BOARD_CHARACTERS // 9 - 20)}")
    return prompts


def picture_and_text(page: int, words: random.Random) -> tuple[PageImage, str]:
    """A page of coloured bars and its text."""
    from PIL import Image, ImageDraw

    picture = Image.new("RGB", PICTURE, "white")
    draw = ImageDraw.Draw(picture)
    for bar in range(12):
        height = words.randrange(50, 900)
        draw.rectangle([40 + bar * 80, PICTURE[1] - height, 90 + bar * 80, PICTURE[1] - 20], fill=(page * 25, 80, 160))
    return PageImage(page, picture), sentence(words, PAGE_CHARACTERS)


def sentence(words: random.Random, length: int) -> str:
    """Text of about ``length`` characters."""
    text = ""
    while len(text) < length:
        text += f"{words.choice(VOCABULARY)} "
    return text[:length]


if __name__ == "__main__":
    raise SystemExit(main())
