"""Stage ``build`` (M1): content_list.enhanced.json -> doctree.mm.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import BuildSettings
from cosee.pipeline.collector import seldom_collected
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult
from cosee.structure.tree.tree_builder import build_tree


class BuildStage:
    """Builds and checks the tree of one document."""

    name = "build"
    isolated = True

    def inputs(self, doc: DocFolder, settings: BuildSettings) -> Sequence[Path]:
        """The enhanced content list."""
        return [doc.data / "content_list.enhanced.json"]

    @seldom_collected
    def run(self, doc: DocFolder, settings: BuildSettings) -> StageResult:
        """Write the tree; one with problems, or beyond a threshold of the settings, makes the document partial."""
        source = self.inputs(doc, settings)[0]
        if not source.exists():
            raise StageFailure("missing_input", f"{source}: not there; stage enhance writes it")
        try:
            content = ContentList.load(source)
        except ArtifactError as error:
            raise StageFailure("bad_input", str(error)) from error
        if content.stage != "enhanced":
            raise StageFailure("bad_input", f"{source}: stage {content.stage!r}, expected 'enhanced'")
        tree = build_tree(content, settings)
        target = doc.data / "doctree.mm.json"
        tree.save(target)
        quality = tree.quality
        counts = {
            "pages": quality.pages,
            "items": quality.items,
            "nodes": len(tree.nodes),
            "dropped": len(tree.dropped),
            "sections": quality.sections,
            "max_depth": quality.max_depth,
            "figures": quality.figures,
            "tables": quality.tables,
            "problems": len(quality.problems),
            "doubts": len(quality.doubts),
        }
        if quality.problems:
            message = "; ".join(quality.problems[:3])
            return StageResult([target], status="partial", reason="tree_problems", message=message, counts=counts)
        if quality.doubts:
            message = "; ".join(doubt.message for doubt in quality.doubts)
            reason = quality.doubts[0].reason
            return StageResult([target], status="partial", reason=reason, message=message, counts=counts)
        return StageResult([target], counts=counts)


if __name__ == "__main__":
    raise SystemExit(run_stage(BuildStage(), BuildSettings))
