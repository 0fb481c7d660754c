"""M0: ``full.pdf`` becomes ``layout.json``, ``content_list.json``, ``content_list.adapted.json`` and ``images/``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cosee.adapter.adapt import adapt, mineru_list, unaccounted
from cosee.adapter.pdf_reader import UnreadablePdf, read_pdf
from cosee.artifacts import files
from cosee.artifacts.content import ContentList
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.pipeline.job import run_stage
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult


class AdaptStage:
    """Reads one PDF. It parses untrusted bytes, so the runner gives it a child process per document."""

    name = "adapt"
    isolated = True

    def inputs(self, doc: DocFolder) -> Sequence[Path]:
        """The PDF alone."""
        return [doc.data / "full.pdf"]

    def run(self, doc: DocFolder, settings: AdaptSettings) -> StageResult:
        """Write the artifacts of one document; ``partial`` where pages or their text are missing.

        Raises:
            StageFailure: ``missing_file``, or a reason of ``UnreadablePdf`` such as ``needs_password``.
        """
        images = doc.data / "images"
        try:
            read = read_pdf(doc.data / "full.pdf", doc.doc_id, settings, images)
        except UnreadablePdf as error:
            raise StageFailure(error.reason, error.message) from error
        except ArtifactError as error:
            raise StageFailure("missing_file", str(error)) from error
        content = adapt(read.layout)
        lost = unaccounted(read.layout, content)
        if lost:
            raise AssertionError(f"{doc.doc_id}: layout blocks without an item: {', '.join(lost[:5])}")
        outputs = [
            doc.data / "layout.json",
            doc.data / "content_list.json",
            doc.data / "content_list.adapted.json",
        ]
        read.layout.save(outputs[0])
        files.write_json(outputs[1], mineru_list(content))
        content.save(outputs[2])
        _remove_stale(images, read.images)
        reason, message = None, None
        if read.problems:
            reason, message = read.problems[0][0], "; ".join(text for _, text in read.problems)
        return StageResult(
            outputs=[*outputs, *read.images],
            status="partial" if read.problems else "ok",
            reason=reason,
            message=message,
            counts=_counts(content),
        )


def _remove_stale(folder: Path, current: list[Path]) -> None:
    """Delete crops that an earlier run left and this one did not write."""
    keep = {path.name for path in current}
    for path in sorted(folder.glob("*.png")) if folder.is_dir() else []:
        if path.name not in keep:
            path.unlink()


def _counts(content: ContentList) -> dict[str, int]:
    roles = [item.role for item in content.items]
    return {
        "pages": len(content.pages),
        "items": len(roles),
        "tables": roles.count("table"),
        "images": roles.count("image"),
        "dropped": len(content.dropped),
        "ocr_pages": sum(1 for page in content.pages if "ocr" in page.flags),
    }


if __name__ == "__main__":
    raise SystemExit(run_stage(AdaptStage(), AdaptSettings))
