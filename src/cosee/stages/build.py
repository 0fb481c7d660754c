"""Stage ``build`` (M1): content_list.enhanced.json -> doctree.mm.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.settings.parsing import BuildSettings
from cosee.pipeline.garbage_collection import seldom_collected
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, StageResult
from cosee.stages.content_input import load_content
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
        """Write the tree; one with problems, or beyond a threshold, makes the document partial."""
        content = load_content(self.inputs(doc, settings)[0], "enhanced")
        tree = build_tree(content)
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
