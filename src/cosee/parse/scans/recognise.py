"""Text that is only in pictures: read by OCR, whole pages and parts of them, and put among the page's own text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.picture_quality import PictureQuality
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.imaging import ink
from cosee.imaging.ink import Gray
from cosee.imaging.measure import jpeg_coarseness, measure_gray
from cosee.imaging.render import gray_region, image_stream
from cosee.imaging.restore import Restored, restore
from cosee.imaging.upright import Turn
from cosee.models.vision.engine import OcrEngine, OcrLine
from cosee.parse.pdf.page_model import Picture, RawPage, Vector
from cosee.parse.pdf.turned_page import move, turn_page
from cosee.parse.scans import thresholds
from cosee.parse.scans.reading_need import Need, reading_need, shows_letters
from cosee.parse.scans.recognised_text import fragments_of, with_faces
from cosee.parse.scans.scan_areas import find_areas, is_picture_of_text
from cosee.text.language import language_of


@dataclass(frozen=True)
class Reading:
    """What was read from one picture: ``turn`` makes the picture upright, and the lines are in its pixels.

    ``picture`` is what was read, before it was turned.
    """

    lines: list[OcrLine]
    turn: Turn
    upright: Gray
    picture: Restored

    @property
    def dpi(self) -> int:
        """Resolution of the picture."""
        return self.picture.dpi

    @property
    def quality(self) -> PictureQuality:
        """Of the picture as it was, with all that was done to it."""
        askew = abs((self.turn.degrees + 45) % 90 - 45) >= thresholds.ASKEW
        done = [*self.picture.quality.restored, *(["straightened"] if askew else [])]
        return self.picture.quality.model_copy(update={"restored": done})

    @property
    def letters(self) -> int:
        """Letters and digits of all words."""
        return sum(_letters(word.text) for line in self.lines for word in line.words)

    @property
    def sure(self) -> float:
        """Letters, each weighed by the engine's trust in its word beyond one half; by half where they lie sideways."""
        trusted = sum(
            _letters(word.text) * max(0.0, 2 * word.confidence - 1) for line in self.lines for word in line.words
        )
        return trusted / 2 if self.lies_sideways else trusted

    @property
    def lies_sideways(self) -> bool:
        """Whether most words are higher than wide: the engine has read them, but in another direction."""
        words = [word for line in self.lines for word in line.words if _letters(word.text) >= thresholds.WIDE_WORD]
        high = sum(geometry.height(word.bbox) > geometry.width(word.bbox) for word in words)
        return 2 * high > len(words)

    @property
    def confidence(self) -> float:
        """Mean confidence of the letters; 0 where there are none."""
        count = self.letters
        total = sum(_letters(word.text) * word.confidence for line in self.lines for word in line.words)
        return total / count if count else 0.0


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


class Recogniser:
    """Reads the pictures of one document; what it learns of script, language and direction helps with later pages."""

    def __init__(self, engine: OcrEngine, settings: AdaptSettings) -> None:
        self._engine = engine
        self._settings = settings
        self._script: str | None = None
        self._language: str | None = None
        self._sideways = 90
        self.missed: set[str] = set()
        """What would have read the document better, by the names of ``cosee.machine``."""

    def complete(self, page: Any, raw: RawPage) -> None:
        """Add to ``raw`` what the page shows and its text layer does not hold, with the flags that say so.

        A page that is read whole may be laid out upright from here on: ``raw.turn``. Raises OcrError, RenderError.
        """
        need = reading_need(page, raw)
        if need.whole or need.regions:
            self.missed |= self._engine.missed()
        if need.whole:
            self._whole(page, raw, need)
            return
        for box in need.regions:
            self._region(page, raw, box)

    def _whole(self, page: Any, raw: RawPage, need: Need) -> None:
        reading = self._read_region(page, raw, raw.bbox)
        raw.quality = reading.quality
        if need.layer and reading.sure < need.layer:
            return
        for fragment in raw.fragments:
            if not fragment.hidden and (need.replaces == "all" or (need.replaces == "layer" and fragment.ocr)):
                fragment.hidden, fragment.hidden_reason = True, "replaced"
        turn_page(raw, Turn(raw.width, raw.height, reading.turn.degrees))
        scale = raw.width / max(reading.upright.shape[1], 1)
        shown = [fragment.bbox for fragment in raw.fragments if not fragment.hidden]
        found = fragments_of(_unseen(reading.lines, shown, scale), scale)
        with_faces(found, reading.upright, 1 / scale)
        raw.fragments += found
        if any(not fragment.hidden for fragment in found):
            raw.flags.append("ocr")
            if reading.confidence < thresholds.DOUBTFUL:
                raw.flags.append("low_confidence")
            _add_areas(raw, reading.upright, reading.dpi, scale, reading.lines)
        elif not shows_letters(ink.look_at(reading.upright, reading.dpi, thresholds.LOOK_DPI)):
            raw.flags.append("no_text")

    def _region(self, page: Any, raw: RawPage, box: BBox) -> None:
        reading = self._read_region(page, raw, box)
        gray = reading.picture.gray
        scale = geometry.width(box) / max(gray.shape[1], 1)
        found = fragments_of(reading.lines, scale)
        with_faces(found, reading.upright, 1 / scale)
        turn = Turn(gray.shape[1] * scale, gray.shape[0] * scale, reading.turn.degrees)
        for fragment in found:
            move(fragment, lambda b: _shifted(turn.back(b), box))
        shown = [f.bbox for f in raw.fragments if not f.hidden]
        found = [f for f in found if not _is_shown(f.bbox, shown)]
        if reading.confidence < thresholds.DOUBTFUL_PICTURE:
            for fragment in found:
                fragment.hidden, fragment.hidden_reason = True, "ocr_noise"
        sideways = round(reading.turn.degrees / 90) % 4 != 0
        if sideways:
            for fragment in found:
                fragment.rotated = True
        elif is_picture_of_text([f for f in found if not f.hidden], box, raw.fragments):
            _, rules = find_areas(gray, reading.dpi, [word.bbox for line in reading.lines for word in line.words])
            raw.vectors += [Vector(_shifted(geometry.scaled(r, scale), box), True, False, 0, 0) for r in rules]
            for picture in raw.pictures:
                picture.is_text = picture.is_text or geometry.contains(box, picture.bbox, thresholds.SHOWN_TOLERANCE)
        raw.fragments += found

    def _read_region(self, page: Any, raw: RawPage, box: BBox) -> Reading:
        """The best reading of a part of the page: of its picture mended where that was measured to be poor, or as it is
        where it is read better so."""
        gray, dpi = gray_region(page, box, self._settings.ocr_dpi)
        source = _source(raw, box)
        pitch = None if source is None else dpi / 72 * (geometry.area(source.bbox) / (source.pixels or 1)) ** 0.5
        coarseness = None if source is None else jpeg_coarseness(image_stream(page, source.pixels or 0))
        plain = Restored(gray, dpi, measure_gray(gray, dpi, pitch=pitch, coarseness=coarseness))
        if not self._settings.restore:
            return self._read(plain)
        mended = restore(gray, dpi, plain.quality, partial(gray_region, page, box))
        reading = self._read(mended)
        is_sure = reading.confidence >= thresholds.SURE and reading.letters >= thresholds.SAMPLE_LETTERS
        if mended.quality.restored and not is_sure:
            reading = max(reading, self._read(plain), key=lambda each: each.sure)
        return reading

    def _read(self, picture: Restored) -> Reading:
        """The best reading of a picture over the directions, scripts and languages that are in question."""
        seen = ink.look_at(picture.gray, picture.dpi, thresholds.LOOK_DPI)
        skew = seen.skew if self._settings.restore else 0.0
        base = (0 if seen.upright else self._sideways) - skew
        best = self._attempt(picture, base)
        if _is_poor(best, seen.letters):
            best = self._again(base, best, seen.upright)
        if abs(skew) >= thresholds.SLANTED and best.letters < thresholds.SAMPLE_LETTERS:  # few letters tell no slant
            best = max(best, self._attempt(picture, best.turn.degrees + skew), key=lambda each: each.sure)
        turned = round(best.turn.degrees / 90) % 4
        if turned in (1, 3):
            self._sideways = 90 * turned
        return self._in_its_language(best)

    def _attempt(self, picture: Restored, degrees: float) -> Reading:
        turn = Turn(picture.gray.shape[1], picture.gray.shape[0], degrees % 360)
        upright = turn.picture(picture.gray)
        languages = self._engine.languages(self._script, self._language)
        return Reading(self._engine.read(upright, picture.dpi, languages), turn, upright, picture)

    def _again(self, base: float, first: Reading, upright: bool) -> Reading:
        """Other readings of a picture that was read poorly; the surest one is taken."""
        survey = self._engine.survey(first.upright, first.dpi)
        before = self._script
        tried = [first]
        if survey is not None and (survey.quarters or survey.script not in (None, before)):
            self._script = survey.script or before
            self.missed |= self._engine.missed(self._script, self._language)
            tried.append(self._attempt(first.picture, base + 90 * survey.quarters))
        best = max(tried, key=lambda reading: reading.sure)
        if best is first:
            self._script = before
        others = [base + 180] if upright else [base + 180, base - self._sideways]
        if best.lies_sideways:
            others = [best.turn.degrees - 90, best.turn.degrees + 90]
        for degrees in others:
            if not _is_poor(best, thresholds.FEW_LETTERS):
                break
            if all(abs(degrees % 360 - reading.turn.degrees) > thresholds.SAME_DIRECTION for reading in tried):
                tried.append(self._attempt(first.picture, degrees))
                best = max(tried, key=lambda reading: reading.sure)
        return best

    def _in_its_language(self, reading: Reading) -> Reading:
        """The reading, made again where its words say another language than the one it was read in."""
        language = language_of(word.text for line in reading.lines for word in line.words)
        before = self._language
        if language is None or language == before:
            return reading
        self.missed |= self._engine.missed(self._script, language)
        used = self._engine.languages(self._script, before)
        if self._engine.languages(self._script, language) == used:
            return reading
        self._language = language
        again = self._attempt(reading.picture, reading.turn.degrees)
        if again.sure >= reading.sure:
            return again
        self._language = before
        return reading


def _source(raw: RawPage, box: BBox) -> Picture | None:
    """The bitmap of known size that covers most of a region; None where none does."""
    for picture in raw.pictures:
        if picture.pixels and geometry.intersection(picture.bbox, box) >= thresholds.BITMAP_COVER * geometry.area(box):
            return picture
    return None


def _is_poor(reading: Reading, seen: int) -> bool:
    missed = reading.letters < thresholds.FEW_LETTERS <= seen
    return reading.confidence < thresholds.POOR or missed or reading.lies_sideways


def _unseen(lines: list[OcrLine], shown: list[BBox], scale: float) -> list[OcrLine]:
    """The lines without the words that the page's own text already holds at their place."""
    if not shown:
        return lines
    kept = []
    for line in lines:
        words = tuple(word for word in line.words if not _is_shown(geometry.scaled(word.bbox, scale), shown))
        if words:
            kept.append(OcrLine(line.block, words))
    return kept


def _is_shown(box: BBox, shown: list[BBox]) -> bool:
    return any(geometry.center_inside(box, other, thresholds.SHOWN_TOLERANCE) for other in shown)


def _shifted(box: BBox, origin: BBox) -> BBox:
    return box[0] + origin[0], box[1] + origin[1], box[2] + origin[0], box[3] + origin[1]


def _add_areas(raw: RawPage, gray: Gray, dpi: int, scale: float, lines: list[OcrLine]) -> None:
    """Give the page the figures and ruling lines of its picture, so that it is laid out like any other page."""
    figures, rules = find_areas(gray, dpi, [word.bbox for line in lines for word in line.words])
    for box in rules:
        raw.vectors.append(Vector(geometry.clamp(geometry.scaled(box, scale), raw.bbox), True, False, 0, 0))
    for box in figures:
        raw.pictures.append(Picture(geometry.clamp(geometry.scaled(box, scale), raw.bbox), ()))
