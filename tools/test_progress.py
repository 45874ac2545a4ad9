# SPDX-License-Identifier: Apache-2.0
"""Where a run of tools/run_tests.py is, in a line every few seconds: the part, how many of its tests have ended, and how much
time is left by the figures of the last run in the same folder."""

import json
import re
import time

import script


class Progress:
    def __init__(self, folder, parts, long, watched):
        """watched: the open outputs of running programs, "tests" and "builds" (test_cases.watched)."""
        self.file, self.parts, self.watched = folder / "times.json", list(parts), watched
        self.kind = "long" if long else "ordinary"
        try:
            self.known = json.loads(self.file.read_text())
        except (OSError, ValueError):
            self.known = {}
        self.part, self.begin = None, 0.0

    def enter(self, part):
        self.part, self.begin = part, time.monotonic()

    def leave(self):
        """Keeps how long the part took."""
        self.known.setdefault(self.kind, {})[self.part] = round(time.monotonic() - self.begin, 1)
        self.file.write_text(json.dumps(self.known, indent=1) + "\n")

    def left_s(self):
        """Seconds; None where a part that is left has never run here."""
        known, at = self.known.get(self.kind, {}), self.parts.index(self.part)
        if any(part not in known for part in self.parts[at:]):
            return None
        return max(0.0, known[self.part] - (time.monotonic() - self.begin)) + sum(known[part] for part in self.parts[at + 1:])

    def line(self, _=0.0):
        if self.part is None:
            return ""
        said = {name: script.last_line(output) for name, output in self.watched.copy().items()}
        counted = re.match(r"(\d+)/(\d+) Test ", said.get("tests", ""))
        made = re.match(r"\[\d+/\d+\]", said.get("builds", ""))
        doing = f"{counted[1]} of {counted[2]} tests" if counted else f"build {made[0]}" if made else "running"
        left = self.left_s()
        return (f"  {self.part} (part {self.parts.index(self.part) + 1} of {len(self.parts)}): {doing}, {time.monotonic() - self.begin:.0f} s"
                + ("" if left is None else f"; about {left:.0f} s left, as last time"))
