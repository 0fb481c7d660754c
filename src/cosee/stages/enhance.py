"""Stage ``enhance`` (M1): content_list.adapted.json -> content_list.enhanced.json."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.original import ORIGINAL, Original
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import EnhanceSettings
from cosee.models.base import VLMClient
from cosee.models.journal import JournaledClient
from cosee.models.registry import MODELS_FILE, load_models, open_client
from cosee.pipeline.garbage_collection import seldom_collected
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, Part, StageFailure, StageResult
from cosee.runs.model import entry_parts, openable
from cosee.stages.content_input import load_content
from cosee.structure.captions.look_at_figures import look_at_figures
from cosee.structure.enhance import enhance
from cosee.structure.original import not_found

log = logging.getLogger(__name__)


class EnhanceStage:
    """Finds furniture, headings, captions, lists and figure parts of one document.

    With ``enhance.figure_model`` that model looks at the figures; its calls are journaled in
    ``data/<dataset>/.journal/enhance/``.
    """

    name = "enhance"
    isolated = True

    def __init__(self, models_file: Path = MODELS_FILE) -> None:
        self.models_file = models_file
        self._clients: dict[str, VLMClient] = {}

    def inputs(self, doc: DocFolder, settings: EnhanceSettings) -> Sequence[Path | Part]:
        """The adapted content list, what an original says, and the model's entry where one looks at figures."""
        original = doc.data / ORIGINAL
        stated = [original] if original.is_file() else []
        return [_adapted(doc), *stated, *entry_parts(self.models_file, [settings.figure_model])]

    @seldom_collected
    def run(self, doc: DocFolder, settings: EnhanceSettings) -> StageResult:
        """Write the enhanced content list; counts say what was found."""
        adapted = load_content(_adapted(doc), "adapted")
        original = _original(doc)
        enhanced = enhance(
            adapted,
            original=original,
            furniture=settings.remove_furniture,
        )
        counts = _counts(adapted, enhanced)
        message = not_found(original, enhanced) if original is not None else None
        if settings.figure_model is not None:
            journal = doc.data.parent / ".journal" / self.name / f"{doc.doc_id}.jsonl"
            with openable(self.models_file, settings.figure_model):
                client = JournaledClient(self._client(settings.figure_model), journal)
            counts["described"], warnings = look_at_figures(enhanced, doc.data, client, settings.figure_limit)
            for warning in warnings:
                log.warning("%s: %s", doc.doc_id, warning)
            message = "; ".join([*filter(None, [message]), *warnings[:3]]) or None
        target = doc.data / "content_list.enhanced.json"
        enhanced.save(target)
        return StageResult(outputs=[target], message=message, counts=counts)

    def _client(self, name: str) -> VLMClient:
        """The model, opened on first use. An unknown model is an error of the configuration, not of a document."""
        if name not in self._clients:
            self._clients[name] = open_client(name, load_models(self.models_file))
        return self._clients[name]


def _adapted(doc: DocFolder) -> Path:
    return doc.data / "content_list.adapted.json"


def _original(doc: DocFolder) -> Original | None:
    """What M0 read in the file that the PDF was made of; None for a PDF."""
    path = doc.data / ORIGINAL
    try:
        return Original.load(path) if path.is_file() else None
    except ArtifactError as error:
        raise StageFailure("bad_input", str(error)) from error


def _counts(adapted: ContentList, enhanced: ContentList) -> dict[str, int]:
    roles = Counter(item.role for item in enhanced.items)
    before = {item.id for item in adapted.dropped}
    reasons = Counter(item.reason for item in enhanced.dropped if item.id not in before)
    merged = reasons.pop("merged", 0)
    return {
        "pages": len(enhanced.pages),
        "items": len(enhanced.items),
        "headings": roles["heading"],
        "figures": roles["image"],
        "tables": roles["table"],
        "captions": roles["caption"],
        "dropped": len(enhanced.dropped),
        "merged": merged,
        "furniture": sum(reasons.values()),
    }


if __name__ == "__main__":
    raise SystemExit(run_stage(EnhanceStage(), EnhanceSettings))
