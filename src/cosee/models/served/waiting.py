"""What all calls of one server wait for together: until it wants to be asked again, and while it is away."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import NoReturn

from cosee.models.calls import ServerFailure
from cosee.models.served.faults import ServerFault
from cosee.models.served.thresholds import FIRST_PAUSE_SECONDS, GIVEN_UP_SECONDS, LONGEST_PAUSE_SECONDS, REPORT_SECONDS

log = logging.getLogger(__name__)


class Waiting:
    """Shared by the threads that call a server, so that one of them looks after it and the others wait.

    ``is_back`` tries the server within the seconds that it is given and raises ServerFault where it does not work;
    ``safe`` makes what it says fit for a log.
    """

    def __init__(
        self,
        server: str,
        patience: float,
        is_back: Callable[[float], None],
        safe: Callable[[str], str],
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.server, self.patience = server, patience
        self.sleep, self.clock = sleep, clock
        self._is_back, self._safe = is_back, safe
        self._watch = threading.Lock()
        self._hold = threading.Lock()
        self._until = 0.0
        self._failure: ServerFailure | None = None
        self._given_up = 0.0
        self._was_away = False
        self.absences = 0
        """How often it was away and came back."""

    def turn(self) -> int:
        """Wait until the server may be asked; the number of its absences until then.

        Raises:
            ServerFailure: it was given up.
        """
        while True:
            if self._failure is not None and self.clock() - self._given_up < GIVEN_UP_SECONDS:
                raise self._failure
            self._failure = None
            left = self._until - self.clock()
            if left <= 0:
                return self.absences
            self.sleep(left)

    def hold(self, seconds: float, why: str) -> None:
        """Ask nothing for some seconds, whoever is about to. One line says so, however many calls were told."""
        with self._hold:
            until = self.clock() + seconds
            is_news = until > self._until + 1
            self._until = max(until, self._until)
        if is_news:
            log.warning("%s: %s; asking again in %g s", self.server, why, round(seconds, 1))

    def away(self, why: str, seen: int) -> bool:
        """Wait until the server works again; returns at once where it came back since ``seen`` absences.

        False where it was there at the first look, so that only a connection was lost.

        Raises:
            ServerFailure: it did not come back within the patience.
        """
        with self._watch:
            if self._failure is not None:
                raise self._failure
            if seen == self.absences:
                self._was_away = self._look_out(why) > 1
                self.absences += 1
            return self._was_away

    def _look_out(self, why: str) -> int:
        """How often it was looked at until it worked."""
        started, told, pause, looks = self.clock(), -REPORT_SECONDS, FIRST_PAUSE_SECONDS, 0
        while (gone := self.clock() - started) < self.patience:
            if gone - told >= REPORT_SECONDS:
                told = gone
                log.warning("%s: %s; waited for, %g s more at most", self.server, why, round(self.patience - gone))
            self.sleep(min(pause, self.patience - gone))
            pause, looks = min(2 * pause, LONGEST_PAUSE_SECONDS), looks + 1
            try:
                self._is_back(max(1.0, self.patience - (self.clock() - started)))
            except ServerFault as fault:
                why = self._safe(fault.message)
            else:
                log.warning("%s: it works again", self.server)
                return looks
        kept = "what was answered is kept, the same command asks for the rest"
        self.give_up(f"{why}; it was waited for {self.patience:g} s; {kept}")

    def give_up(self, why: str) -> NoReturn:
        """End every call, those that wait among them. Raises ServerFailure."""
        self._failure, self._given_up = ServerFailure(f"{self.server}: {why}"), self.clock()
        raise self._failure
