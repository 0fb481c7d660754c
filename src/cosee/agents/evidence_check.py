"""Whether what an answer cites carries it: the question asked again, of what is cited alone, and of all but that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cosee.agents.baselines.prompts import READ_ONCE
from cosee.agents.evidence import find_quote
from cosee.agents.thresholds import CROP_MARGIN, RESERVED_TOKENS
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.models.base import VLMClient
from cosee.models.blocks import Block, Message, PageImage
from cosee.models.evidence import node_evidence, page_evidence
from cosee.models.messages import image_block, instruction_block, page_text_block, question_block

PageImages = Callable[[int], PageImage]


def cited_alone(
    question: str, prediction: Prediction, tree: DocTree, client: VLMClient, page_image: PageImages
) -> tuple[Message, int] | None:
    """The question with nothing but what is cited, and how many pieces that is; None where nothing can be shown.

    A cited node gives its text, a quote without a node its words where they stand on their page, and a box its crop
    for a client that sees. Words that were not found in the document are the method's own, and are not shown.
    """
    nodes = dict.fromkeys(piece.node_id for piece in prediction.support if piece.node_id)
    blocks = [node_evidence(tree, node_id) for node_id in nodes if node_id in tree.by_id]
    for piece in prediction.support:
        if piece.node_id is None and piece.quote and piece.quote_verified:
            blocks.append(page_text_block(piece.page, piece.page_label, piece.quote))
    places = dict.fromkeys((piece.page, piece.bbox) for piece in prediction.support if piece.bbox is not None)
    crops = [_crop(page_image(page), box) for page, box in places if box is not None] if client.sees_images else []
    pieces = [image_block(crop) for crop in crops] + blocks
    return (_message_of(question, pieces), len(pieces)) if pieces else None


def all_but_cited(
    question: str, prediction: Prediction, tree: DocTree, client: VLMClient, page_image: PageImages
) -> Message:
    """The question with the pages that were read, what is cited taken out of their text and painted over in their
    pictures; the last pages are left out where the client's context is full."""
    cited = _cited_nodes(prediction.support, tree)
    pages = list(dict.fromkeys([*(prediction.read_pages or ()), *(piece.page for piece in prediction.support)]))
    pages = [page for page in pages if 1 <= page <= len(tree.pages)]
    shown = [_page_without(tree, page, cited, prediction.support, client, page_image) for page in pages]
    room = client.max_context - RESERVED_TOKENS
    while True:
        message = _message_of(question, [block for blocks in shown for block in blocks])
        if len(shown) <= 1 or client.tokenize_prompt_length([message]) <= room:
            return message
        shown.pop()


def _message_of(question: str, evidence: Sequence[Block]) -> Message:
    tail = (question_block(question), instruction_block(READ_ONCE.id, READ_ONCE.text))
    return Message((*evidence, *tail))


def _cited_nodes(support: Sequence[Support], tree: DocTree) -> set[str]:
    """Ids of the nodes that are cited, of what stands under them, of their captions, and of those that hold a quote."""
    cited: set[str] = set()
    for piece in support:
        if piece.node_id in tree.by_id:
            cited.update(node.id for node in tree.subtree(str(piece.node_id)))
        elif piece.quote and piece.quote_verified:
            _, holder = find_quote(tree, piece.page, piece.quote)
            words = " ".join(piece.quote.split())
            parts = [node for node in tree.readable_on(piece.page - 1) if " ".join(node.text.split()) in words]
            cited.update(node.id for node in ([holder] if holder is not None else parts) if node.text.strip())
    return cited | {node.id for node in tree.nodes if node.caption_of in cited}


def _page_without(
    tree: DocTree, page: int, cited: set[str], support: Sequence[Support], client: VLMClient, page_image: PageImages
) -> list[Block]:
    whole = page_evidence(tree, page).data
    nodes = [node for node in whole["nodes"] if node["node_id"] not in cited]
    text = page_text_block(page, whole["page_label"], "\n".join(str(node["text"]) for node in nodes), nodes)
    if not client.sees_images:
        return [text]
    boxes = [piece.bbox for piece in support if piece.page == page and piece.bbox is not None]
    picture = page_image(page)
    return [image_block(_painted_over(picture, boxes) if boxes else picture), text]


def _crop(picture: PageImage, box: BBox) -> PageImage:
    """The place of a box, rendered anew as fine as it needs, with a small margin."""
    left, top, right, bottom = box
    return picture.region((left - CROP_MARGIN, top - CROP_MARGIN, right + CROP_MARGIN, bottom + CROP_MARGIN))


def _painted_over(picture: PageImage, boxes: Sequence[BBox]) -> PageImage:
    from PIL import ImageDraw

    image = picture.load().copy()
    width, height = image.size
    for left, top, right, bottom in boxes:
        ImageDraw.Draw(image).rectangle((left * width, top * height, right * width, bottom * height), fill="white")
    return PageImage(picture.page, image)
