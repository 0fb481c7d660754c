"""Stage ``enhance`` (M1): content_list.adapted.json -> content_list.enhanced.json."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.content import ContentList
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import EnhanceSettings
from cosee.enhancer.enhance import enhance
from cosee.pipeline.collector import seldom_collected
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult


class EnhanceStage:
    """Finds furniture, headings, captions, lists and figure parts of one document."""

    name = "enhance"
    isolated = True

    def inputs(self, doc: DocFolder) -> Sequence[Path]:
        """The adapted content list."""
        return [doc.data / "content_list.adapted.json"]

    @seldom_collected
    def run(self, doc: DocFolder, settings: EnhanceSettings) -> StageResult:
        """Write the enhanced content list; counts say what was found."""
        source = self.inputs(doc)[0]
        if not source.exists():
            raise StageFailure("missing_input", f"{source}: not there; stage adapt writes it")
        try:
            adapted = ContentList.load(source)
        except ArtifactError as error:
            raise StageFailure("bad_input", str(error)) from error
        if adapted.stage != "adapted":
            raise StageFailure("bad_input", f"{source}: stage {adapted.stage!r}, expected 'adapted'")
        enhanced = enhance(
            adapted,
            furniture=settings.remove_furniture,
            subfigures=settings.merge_subfigures,
            max_heading_level=settings.max_heading_level,
        )
        target = doc.data / "content_list.enhanced.json"
        enhanced.save(target)
        return StageResult(outputs=[target], counts=_counts(adapted, enhanced))


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
