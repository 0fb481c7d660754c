"""Qwen3-VL's real path on a tiny model: loading, encoding, prefix reuse, batches, streaming, generate."""

from __future__ import annotations

import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from PIL import Image, ImageDraw

from cosee.models.calls import ModelError, Sampling
from cosee.models.local.hf_text import HfTextClient
from cosee.models.local.qwen_vl_wrapper import QwenVLClient
from cosee.models.messages import evidence_message, page_text_block, picture_message, role_block

GREEDY = Sampling(temperature=0, max_new_tokens=12, presence_penalty=0, repetition_penalty=1.5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return build_tiny_qwen3vl(tmp_path_factory.mktemp("models") / "tiny")


def endless(client):
    """Random weights end a reply at once as often as not: replies have full length here, and read as token ids."""
    client.generator._end_tokens = frozenset()
    client.generator._decode = lambda tokens: " ".join(map(str, tokens))
    return client


@pytest.fixture(scope="module")
def plain(folder):
    return endless(QwenVLClient(str(folder), prefix_gib=0))


@pytest.fixture
def reusing(folder):
    return endless(QwenVLClient(str(folder)))


def picture(number, size=(160, 96)):
    page = Image.new("RGB", size, "white")
    ImageDraw.Draw(page).rectangle([10 + 9 * number, 20, 60 + 9 * number, 70], fill="navy")
    return page


def messages(role, *, board=None, pictures=(0, 1), question="What is shown in this figure?"):
    return [picture_message([picture(number) for number in pictures], question, board, role)]


ROLES = ("Scanner: look at every page.", "Reader: read the numbers of the table with care.", "Check.")


def test_reuse_gives_the_same_tokens_and_computes_only_the_tail(plain, reusing):
    calls = [messages(role, board=board) for board in (None, "[Page 1]\n- (#1) net sales") for role in ROLES]
    expected = [plain.chat(call, GREEDY) for call in calls]
    replies = [reusing.chat(call, GREEDY) for call in calls]
    assert [reply.text for reply in replies] == [reply.text for reply in expected]
    assert len({reply.text for reply in replies}) == len(ROLES) * 2
    assert [reply.usage.tokens_in for reply in replies] == [reply.usage.tokens_in for reply in expected]
    assert replies[0].usage.tokens_cached == 0 and all(reply.usage.tokens_cached > 40 for reply in replies[1:])
    counts = reusing.generator.counts
    assert counts.computed_tokens < counts.prompt_tokens / 2
    assert plain.generator.counts.computed_tokens == plain.generator.counts.prompt_tokens


def test_kept_states_are_not_changed_by_what_continues_them(reusing):
    first = reusing.chat(messages(ROLES[0]), GREEDY).text
    reusing.chat(messages(ROLES[1]), GREEDY)
    assert reusing.chat(messages(ROLES[0]), GREEDY).text == first


def test_other_pictures_at_the_same_place_are_not_taken_for_the_known_ones(plain, reusing):
    reusing.chat(messages(ROLES[0], pictures=(0, 1)), GREEDY)
    other = messages(ROLES[0], pictures=(0, 5))
    reply = reusing.chat(other, GREEDY)
    assert reply.text == plain.chat(other, GREEDY).text
    swapped = reusing.chat(messages(ROLES[0], pictures=(1, 0)), GREEDY)
    assert swapped.usage.tokens_cached < reply.usage.tokens_cached


def test_a_batch_gives_what_its_rows_give_alone(plain, reusing):
    batch = [messages(role) for role in ROLES]
    expected = [plain.chat(call, GREEDY).text for call in batch]
    assert [reply.text for reply in reusing.chat_many(batch, GREEDY)] == expected
    assert [reply.text for reply in plain.chat_many(batch, GREEDY)] == expected
    mixed = [
        messages(ROLES[0]),
        [picture_message([], "No picture at all?", None, None)],
        messages(ROLES[1], pictures=(3,)),
    ]
    assert [reply.text for reply in reusing.chat_many(mixed, GREEDY)] == [plain.chat(c, GREEDY).text for c in mixed]


def test_a_batch_of_draws_does_not_depend_on_its_company(plain):
    sampling = Sampling(temperature=1.0, max_new_tokens=10, seed=5)
    alone = plain.chat(messages(ROLES[1]), sampling).text
    assert plain.chat_many([messages(role) for role in ROLES], sampling)[1].text == alone


def test_pages_of_text_and_pictures_share_their_prefix(reusing):
    def call(role, question="How much?"):
        from cosee.models.blocks import PageImage

        images = [PageImage(page, picture(page)) for page in (1, 2)]
        evidence = [page_text_block(page, None, f"Table {page} lists total net sales of 394,328.") for page in (1, 2)]
        return [evidence_message(question, images=images, evidence=evidence, role=role_block(role))]

    reusing.chat(call(ROLES[0]), GREEDY)
    pages = reusing.chat(call(ROLES[1]), GREEDY).usage
    other = reusing.chat(call(ROLES[0], "Which year?"), GREEDY).usage
    assert 0 < other.tokens_cached < pages.tokens_cached < pages.tokens_in


def test_a_typed_reply_is_heard_token_by_token(plain):
    # contract: D106
    sampling, texts = Sampling(temperature=1.0, max_new_tokens=10, seed=2), []
    reply = plain.chat_typed_streamed(messages(ROLES[0]), None, sampling, texts.append)
    assert reply == plain.chat_typed(messages(ROLES[0]), None, sampling)
    assert len(texts) == 10 and texts[-1] == reply.text.strip()
    assert all(later.startswith(earlier) for earlier, later in zip(texts, texts[1:], strict=False))


def test_transformers_generate_agrees_and_takes_further_arguments(folder):
    # contract: C50, C51
    client = QwenVLClient(str(folder))
    call = ([picture(0), picture(1)], "What is shown?", "board", ROLES[1])
    settings = {"temperature": 0.0, "max_new_tokens": 24, "repetition_penalty": 1.5}
    for penalty in (0.0, 1.5):
        ours = client.generate(*call, **settings, presence_penalty=penalty)
        assert ours and client.generate(*call, **settings, presence_penalty=penalty, num_beams=1) == ours
    whole = client.generate(*call, **settings, return_full_text=True)
    assert whole.startswith("user\n") and "Question: What is shown?" in whole and whole.endswith(ours)
    assert client.generate(*call, **settings, bad_words_ids=[[token] for token in range(60, 200)]) != ours


def test_prompt_length_is_counted_without_weights_and_exactly(folder, plain):
    # contract: C52, C53
    client = QwenVLClient(str(folder))
    call = messages(ROLES[0], board="board")
    length = client.tokenize_prompt_length(call)
    assert "generator" not in vars(client)
    built = client.build_messages([picture(0), picture(1)], "What is shown in this figure?", "board", ROLES[0])
    assert client.tokenize_prompt_length(built) == length == plain.chat(call, GREEDY).usage.tokens_in


def test_a_strip_of_a_picture_is_padded_not_refused(plain):
    call = [picture_message([picture(0, (2000, 4))], "?", None, None)]
    assert plain.chat(call, GREEDY).usage.tokens_in == plain.tokenize_prompt_length(call)


def test_pixel_bounds_come_from_the_constructor_else_from_the_processor(folder):
    call = messages(ROLES[0], pictures=(0,))
    small = QwenVLClient(str(folder), max_pixels=4096)
    assert small.tokenize_prompt_length(call) < QwenVLClient(str(folder)).tokenize_prompt_length(call)
    assert small.revision != QwenVLClient(str(folder)).revision


def test_a_prompt_beyond_the_context_is_refused_in_words(folder):
    client = QwenVLClient(str(folder), max_context=40)
    with pytest.raises(ModelError, match=r"does not fit the context of 40; give fewer pages"):
        client.chat(messages(ROLES[0]), GREEDY)


@pytest.mark.parametrize("client", [QwenVLClient, HfTextClient])
def test_the_context_is_that_of_the_model_and_a_faulty_configuration_is_said(tmp_path, client):
    path = tmp_path / "config.json"
    for text, context in (
        ('{"max_position_embeddings": 512}', 512),
        ('{"text_config": {"max_position_embeddings": 256}}', 256),
        ("{}", 32_768),
    ):
        path.write_text(text)
        assert client(str(tmp_path)).max_context == context
    for text in ("{", "[]", '{"max_position_embeddings": "many"}'):
        path.write_text(text)
        with pytest.raises(ModelError, match=r"config\.json"):
            client(str(tmp_path))
    path.write_text("{}")
    with pytest.raises(ModelError, match=r"the (processor|tokenizer) in '.*' does not load"):
        client(str(tmp_path)).tokenize_prompt_length([picture_message([], "?", None, None)])


def test_revision_follows_the_weights(tmp_path, folder):
    other = build_tiny_qwen3vl(tmp_path / "tiny", seed=1)
    assert QwenVLClient(str(other)).revision != QwenVLClient(str(folder)).revision


def test_what_cannot_be_loaded_is_said_before_anything_is_loaded(tmp_path, folder):
    with pytest.raises(ModelError, match="no model folder"):
        QwenVLClient(str(tmp_path / "absent"))
    with pytest.raises(ModelError, match=r"has no config\.json"):
        QwenVLClient(str(tmp_path))
    with pytest.raises(ModelError, match="exclude each other"):
        QwenVLClient(str(folder), load_in_8bit=True, load_in_4bit=True)
    with pytest.raises(ModelError, match="unknown dtype 'float12'"):
        QwenVLClient(str(folder), dtype="float12").chat(messages(ROLES[0]), GREEDY)
