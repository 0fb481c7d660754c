"""Stage ``build`` (M1): content_list.enhanced.json -> doctree.mm.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.content import ContentList
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import BuildSettings
from cosee.builder.tree_builder import build_tree
from cosee.pipeline.collector import seldom_collected
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult


class BuildStage:
    """Builds and checks the tree of one document."""

    name = "build"
    isolated = True

    def inputs(self, doc: DocFolder) -> Sequence[Path]:
        """The enhanced content list."""
        return [doc.data / "content_list.enhanced.json"]

    @seldom_collected
    def run(self, doc: DocFolder, settings: BuildSettings) -> StageResult:
        """Write the tree; a tree with problems, or with too little of the text, makes the document partial."""
        source = self.inputs(doc)[0]
        if not source.exists():
            raise StageFailure("missing_input", f"{source}: not there; stage enhance writes it")
        try:
            content = ContentList.load(source)
        except ArtifactError as error:
            raise StageFailure("bad_input", str(error)) from error
        if content.stage != "enhanced":
            raise StageFailure("bad_input", f"{source}: stage {content.stage!r}, expected 'enhanced'")
        tree = build_tree(content)
        target = doc.data / "doctree.mm.json"
        tree.save(target)
        quality = tree.quality
        counts = {
            "pages": quality.pages,
            "nodes": len(tree.nodes),
            "sections": quality.sections,
            "max_depth": quality.max_depth,
            "figures": quality.figures,
            "tables": quality.tables,
            "problems": len(quality.problems),
        }
        if quality.problems:
            message = "; ".join(quality.problems[:3])
            return StageResult([target], status="partial", reason="tree_problems", message=message, counts=counts)
        if quality.text_coverage < settings.min_text_coverage:
            message = f"the tree holds {quality.text_coverage:.0%} of the text, below {settings.min_text_coverage:.0%}"
            return StageResult([target], status="partial", reason="low_text_coverage", message=message, counts=counts)
        return StageResult([target], counts=counts)


if __name__ == "__main__":
    raise SystemExit(run_stage(BuildStage(), BuildSettings))
