#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents and comments are easy to read, and links of documents lead somewhere.

usage: sentences.py ROOT

A sentence has at most 35 words. A heading, an item of a list and a cell of a table are text of their own; blocks of code are
none, and code within a line is one word, a list of such names included. Lines are wrapped at 120 columns, but for tables and for
what cannot be cut. A link to a file of the repository, and to a heading in it, must be there, as must a file that code names.

A page of docs/decisions has the parts of the template, and is in the index once, with its title and its status.

A comment begins with its subject, not with a relative clause that has none ("What is written to"). In C, C++ and GLSL every
comment is read; in other languages those that begin a line.

No text has the markers that git leaves where a merge has a conflict.
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from sources import names

ROOT = Path()
MOST = 35
WIDTH = 124
PAGES = ("README.md", "CONTRIBUTING.md", "docs/**/*.md")
# Pages whose sentences and lines may be longer, and why.
MAY = {}

FENCE = re.compile(r"\s*(?:```|~~~)")
ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+)(?=\S)")
SPAN = re.compile(r"(`+)(.+?)\1")
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]*)\)")
END = re.compile(r"(?<=[.?!])[)\"'”*_]*\s+(?=[(\"'“_]*(?:[A-Z0-9§]|\*+\w))")
SHORT = re.compile(r"\b(?:e\.g|i\.e|cf|vs)\.$")
PLACE = re.compile(r"(?:docs|glsl|host|plugin|spirv|tests|tools)/[\w./-]+")
PARTS = ("Status", "Question", "Decision", "Reasons", "Measured", "Consequences", "Limits", "Alternatives", "Would change it")
PAGE = r"\[(\d+)\]\((\d{4})-[\w-]+\.md\)"
STATUS = re.compile(rf"In force|In force, changed by {PAGE}(?:(?:, | and ){PAGE})*|Superseded by {PAGE}|History")
ROW = re.compile(r"\| \[(\d+)\]\(([\w-]+\.md)\) \| (.*?) \| (.*?) \|")
NAMES = re.compile(r"Code(?:(?:, | and | or )Code)+")

# Folders whose comments are checked; a folder is added when all of its comments keep the rule.
SWEPT = ("glsl/", "host/", "plugin/", "spirv/", "tests/", "tools/")
SWEPT_FILE = re.compile(rf"(?:{'|'.join(SWEPT)}).*\.(?:c|h|cpp|hpp|comp|glsl)")
COMMENT = re.compile(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?P<mark>//|/\*)(?P<text>(?<=//)[^\n]*|.*?(?=\*/))""", re.S)
WITHOUT_SUBJECT = re.compile(r"[\s*]*((?:what|whether|where|who|whose|whoever|those|which)\b[^\n]*)", re.I)


LINES = (({".js", ".mjs", ".ts", ".go", ".rs"}, re.compile(r"\s*(?://[/!]?|/\*\*?|\*)(?: +(?P<text>.*))?$")),
         ({".py", ".sh", ".cmake", ".txt"}, re.compile(r"\s*#(?: +(?P<text>.*))?$")))


def subjectless_lines(suffix, text):
    """The same of a language whose comments are read by the line: the first line of each."""
    within = False
    for pattern in (pattern for suffixes, pattern in LINES if suffix in suffixes):
        for number, line in enumerate(text.split("\n"), 1):
            comment = None if "SPDX-License-Identifier" in line else pattern.match(line)
            begins, said = comment and not within, comment and comment["text"]
            within = bool(comment) and (within or bool(said))
            clause = begins and said and WITHOUT_SUBJECT.match(said)
            if clause:
                yield f"{number}: a comment without a subject: {clause[1]}"


MARKER = re.compile(r"^(?:<{7}|>{7}|\|{7}|={7})(?: .*)?$", re.M)


def markers(text):
    for match in MARKER.finditer(text):
        yield f"{text.count(chr(10), 0, match.start()) + 1}: a marker of a merge: {match[0]}"


def blocks(text):
    """(number of its first line, text) of each paragraph, item, heading and cell. Code is left out."""
    found, held, start = [], [], 0
    fenced = code = False
    blank, column = True, 0  # the last line was empty; where the text of the list's item begins

    def flush():
        if held:
            found.append((start, " ".join(held)))
            held.clear()

    for number, line in enumerate(text.split("\n"), 1):
        bare, indent = line.strip(), len(line) - len(line.lstrip())
        if FENCE.match(line):
            flush()
            fenced = not fenced
        elif fenced:
            continue
        elif not bare:
            flush()
            blank = True
            continue
        else:
            item = ITEM.match(line)
            code = indent >= column + 4 and (blank or code) and not (item and column and indent < column + 4)
            if blank and indent < column and not item:
                column = 0
                code = indent >= 4
            if code:
                pass
            elif bare.startswith("#"):
                flush()
                column = 0
                found.append((number, bare.lstrip("# ")))
            elif bare.startswith("|"):
                flush()
                found += [(number, cell.strip()) for cell in re.split(r"(?<!\\)\|", bare.strip("|"))]
            else:
                if item:
                    flush()
                    column = len(item[1])
                if not held:
                    start = number
                held.append(line[len(item[1]):].strip() if item else bare)
        blank = False
    flush()
    return found


def sentences(text):
    """The sentences of a block; links are their text, code and a list of names are one word."""
    text = NAMES.sub("Code", LINK.sub(lambda link: link[1], SPAN.sub("Code", text)))
    begin = 0
    for end in END.finditer(text):
        if not SHORT.search(text[begin:end.start()]):
            yield text[begin:end.start()]
            begin = end.end()
    yield text[begin:]


def words(sentence):
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def long_sentences(text):
    for number, block in blocks(text):
        for sentence in sentences(block):
            if words(sentence) > MOST:
                yield f"{number}: {words(sentence)} words: {sentence.strip()}"


def wide_lines(text):
    """Lines of text that are too long though they could be cut."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and len(line) > WIDTH and line.lstrip()[:1] != "|" and not line.startswith("    "):
            whole = SPAN.sub(lambda span: "C" * len(span[0]), line)
            if " " in whole.strip()[:WIDTH].removeprefix("- "):
                yield f"{number}: {len(line)} columns"


def comments(text):
    """(number of its first line, text) of each comment; one of // goes on in the same column of the next line."""
    further = None
    for match in COMMENT.finditer(text):
        if match["mark"]:
            number, column = text.count("\n", 0, match.start()) + 1, match.start() - text.rfind("\n", 0, match.start())
            before = text[match.start() - column + 1:match.start()]
            if before.strip() or (number, column) != further:
                yield number, match["text"]
            further = (number + 1, column) if match["mark"] == "//" else None


def subjectless_comments(text):
    for number, comment in comments(text):
        begin = WITHOUT_SUBJECT.match(comment)
        if begin:
            yield f"{number}: a comment without a subject: {begin[1].strip()}"


def anchors(text):
    """The names that headings can be linked by, as GitHub makes them."""
    found = set()
    for line in re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S).split("\n"):
        if line.startswith("#"):
            name = LINK.sub(lambda link: link[1], line.lstrip("#").strip()).replace("`", "").lower()
            found.add(re.sub(r"[^\w\- ]", "", name).replace(" ", "-"))
    return found


def dead_links(page, text):
    bare = re.sub(r"^(```|~~~).*?^\1", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    bare = SPAN.sub(lambda span: "C" * len(span[0]), bare)
    for link in LINK.finditer(bare):
        number = bare.count("\n", 0, link.end()) + 1
        address, _, anchor = link[2].partition("#")
        if ":" in address:
            continue
        target = page if not address else (page.parent / address).resolve()
        if not target.exists():
            yield f"{number}: {address} is not there"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{number}: {address} has no heading #{anchor}"


def lost_files(text):
    """Files and folders that are named by their place in the repository and are not there."""
    for number, line in enumerate(text.split("\n"), 1):
        for span in SPAN.finditer(line):
            if PLACE.fullmatch(span[2]) and not re.search("NAME|ROOM", span[2]) and not (ROOT / span[2]).exists():
                yield f"{number}: {span[2]} is not there"


def bad_decisions(folder):
    """Pages of decisions that are not of the template, and what the index says of them that they do not."""
    pages = {}
    for path in sorted(folder.glob("[0-9]*.md")):
        text = path.read_text(encoding="utf-8")
        first, number = re.match(r"# (\d+)\. (.+)\n", text), int(path.name[:4])
        parts = re.findall(r"^\*\*([^*\n]+)\.\*\*", text, re.M)
        status = re.search(r"^\*\*Status\.\*\* ((?:.|\n)*?)\.\n\n", text, re.M)
        status = " ".join(status[1].split()) if status else ""
        if not first or int(first[1]) != number:
            yield f"{path.name}: its first line is not \"# {number}. TITLE\""
        if "Decision" not in parts or parts != [part for part in PARTS if part in parts]:
            yield f"{path.name}: its parts are {', '.join(parts)}"
        if not STATUS.fullmatch(status):
            yield f"{path.name}: its status is \"{status}\""
        for shown, named in re.findall(PAGE, status):
            if int(shown) != int(named) or int(named) == number or not any(folder.glob(f"{named}-*.md")):
                yield f"{path.name}: its status names {shown}, {named}"
        pages[path.name] = (str(number), first[2] if first else "", status[:1].lower() + status[1:])
    index = (folder / "README.md").read_text(encoding="utf-8")
    rows = [row.groups() for row in map(ROW.fullmatch, index.split("\n")) if row]
    for name, page in pages.items():
        found = [(number, title, status) for number, file, title, status in rows if file == name]
        if found != [page]:
            yield f"{name}: the index has {found} and not {page}"


class Documents(unittest.TestCase):
    def pages(self):
        found = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))
        self.assertGreater(len(found), 50, "where are the documents?")
        return [(path, str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in found]

    def check(self, rule):
        found = [f"{name}:{what}" for path, name, text in self.pages() for what in rule(path, name, text)]
        if found:
            self.fail("\n" + "\n".join(found))

    def test_sentences(self):
        self.check(lambda path, name, text: [] if name in MAY else long_sentences(text))

    def test_width(self):
        self.check(lambda path, name, text: [] if name in MAY else wide_lines(text))

    def test_links(self):
        self.check(lambda path, name, text: dead_links(path, text))

    def test_files(self):
        self.check(lambda path, name, text: lost_files(text))

    def test_decisions(self):
        found = list(bad_decisions(ROOT / "docs/decisions"))
        if found:
            self.fail("\n" + "\n".join(found))

    def test_which_decisions_it_takes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            page, other = folder / "0001-a.md", "**Status.** In force.\n\n**Decision.** c\n"
            (folder / "0002-b.md").write_text("# 2. B\n\n" + other)
            second = "| [2](0002-b.md) | B | in force |\n"
            for text, row, faults in (
                    (other, "in force", 0),
                    ("**Status.** In force, changed by\n[2](0002-b.md).\n\n**Question.** b\n\n**Decision.** c\n", "in force, changed by [2](0002-b.md)", 0),
                    ("**Status.** Superseded by [2](0002-b.md).\n\n**Decision.** c\n", "superseded by [2](0002-b.md)", 0),
                    ("**Status.** History.\n\n**Decision.** c\n", "history", 0),
                    ("**Status.** Superseded by [3](0003-c.md).\n\n**Decision.** c\n", "superseded by [3](0003-c.md)", 1),
                    ("**Status.** Superseded by [3](0002-b.md).\n\n**Decision.** c\n", "superseded by [3](0002-b.md)", 1),
                    ("**Status.** Superseded by [1](0001-a.md).\n\n**Decision.** c\n", "superseded by [1](0001-a.md)", 1),
                    ("**Status.** Good.\n\n**Decision.** c\n", "good", 1),
                    ("**Decision.** c\n", "", 1),
                    ("**Status.** In force.\n\nc\n", "in force", 1),
                    ("**Status.** In force.\n\n**Decision.** c\n\n**Question.** b\n", "in force", 1),
                    ("**Status.** In force.\n\n**Decision.** c\n\n**Why.** b\n", "in force", 1),
                    (other, "history", 1)):
                page.write_text("# 1. A\n\n" + text)
                (folder / "README.md").write_text(f"| [1](0001-a.md) | A | {row} |\n" + second)
                self.assertEqual(len(list(bad_decisions(folder))), faults, text)
            page.write_text("# 3. A\n\n" + other)
            for row, faults in (("| [1](0001-a.md) | A | in force |\n", 1), ("", 2), ("| [1](0001-a.md) | B | in force |\n", 2)):
                (folder / "README.md").write_text(row + second)
                self.assertEqual(len(list(bad_decisions(folder))), faults, row)
            page.write_text("# 1. A\n\n" + other)
            (folder / "README.md").write_text("| [1](0001-a.md) | A | in force |\n" * 2 + second)
            self.assertEqual(len(list(bad_decisions(folder))), 1)

    def test_merges(self):
        found = []
        for name in names(ROOT):
            data = (ROOT / name).read_bytes()
            if b"\0" not in data[:8192]:
                found += [f"{name}:{what}" for what in markers(data.decode(errors="replace").replace("\r\n", "\n"))]
        if found:
            self.fail("\n" + "\n".join(found))

    def test_what_it_reads_of_merges(self):
        for line in ("<" * 7 + " ours", ">" * 7 + " theirs", "|" * 7 + " base", "=" * 7):
            self.assertEqual(len(list(markers(f"a\n{line}\nb"))), 1, line)
        for line in ("=" * 8, " " + "<" * 7, "a " + ">" * 7, "<" * 6 + " a", "<" * 7 + "a"):
            self.assertEqual(list(markers(line)), [], line)

    def test_comments(self):
        files = [name for name in names(ROOT) if SWEPT_FILE.fullmatch(name)]
        for room in SWEPT:
            self.assertTrue(any(name.startswith(room) for name in files), f"{room} has no sources")
        found = [f"{name}:{what}" for name in files for what in subjectless_comments((ROOT / name).read_text(encoding="utf-8"))]
        lines = [name for name in names(ROOT) if name.startswith(SWEPT) and any(Path(name).suffix in suffixes for suffixes, _ in LINES)
                 and (Path(name).suffix != ".txt" or Path(name).name == "CMakeLists.txt")]
        found += [f"{name}:{what}" for name in lines for what in subjectless_lines(Path(name).suffix, (ROOT / name).read_text(encoding="utf-8"))]
        if found:
            self.fail("\n" + "\n".join(found))

    def test_what_it_reads_of_comments(self):
        for text in ("/* What is written to. */", "int a; /* whether it is */", "x;\n// Those that are there\n// go on.", "/*\n * Which one.\n */",
                     "int a; // the first\nint b; // whose end is known", "// one\n    // where another begins", "char c = '\"'; // who asks",
                     "/* fine */ /* Who asks. */"):
            self.assertEqual(len(list(subjectless_comments(text))), 1, text)
        self.assertEqual(list(subjectless_comments("\n\n/* What it is,\n * in all. */")), ["3: a comment without a subject: What it is,"])
        for text in ("/* A range\n * which ends. */", "// A range\n// which ends.", "int a; // a range\n       // which ends", "\"/* What */\"", "what();",
                     "/* Whatever it is. */", "/* Wherever. */", "// Finds\n//\n// what is there"):
            self.assertEqual(list(subjectless_comments(text)), [], text)

        for suffix, text in ((".js", "  /** Whether it is. */"), (".go", "a\n// What it is.\n// More."), (".rs", "/// Those of i."),
                             (".js", "/**\n * Whether it is.\n */"), (".py", "a = 1\n# What it is.\n"), (".cmake", "\n\n  # Who asks.")):
            self.assertEqual(len(list(subjectless_lines(suffix, text))), 1, text)
        for suffix, text in ((".go", "// A range\n// which ends."), (".py", "# A range\n# which ends."), (".rs", "let what = 1; // what"),
                             (".js", "/** Whatever. */"), (".py", "#!/usr/bin/what"), (".md", "# What it is")):
            self.assertEqual(list(subjectless_lines(suffix, text)), [], text)

    def test_what_it_reads(self):
        """The checker sees what it should see, and nothing else."""
        many = " ".join(["word"] * 36)
        for text in (many + ".", "- " + many, "# " + many, f"| a | {many} |", f"- a\n  {many}", f"1. {many}", f"a\n\n- b\n\n  {many}",
                     f"- a\n\n{many}", f"short. {many}, and so on", "[" + many + "](x)", f"one\n\n    code\n\n{many}"):
            self.assertEqual(len(list(long_sentences(text))), 1, text)
        half = " ".join(["word"] * 20)
        for text in (f"{half}. A {half}.", f"| {half} | {half} |", f"- {half}\n- {half}", f"```\n{many}\n```", f"text\n\n    {many}\n",
                     f"{half} `{many}`", f"{half} {'`a`, ' * 30}`b` and `c`.", f"{half} `a`. `b` {half}", f"{half}\n\n{half}", f"{half}: *A* b. *{half}*", f"- a\n\n      {many}", f"{half} ([x](a-b)). A {half}"):
            self.assertEqual(list(long_sentences(text)), [], text)
        self.assertEqual(list(wide_lines("x " * 70)), ["1: 140 columns"])
        for text in ("| " + "x " * 70, "    " + "x " * 70, "```\n" + "x " * 70 + "\n```", "x" * 200):
            self.assertEqual(list(wide_lines(text)), [], text)
        page = ROOT / "README.md"
        self.assertEqual([line.split(" ", 1)[1] for line in dead_links(page, "[a](nowhere.md) [b](docs/abi.md#nothing) [c\nd](docs/abi.md#slots)")],
                         ["nowhere.md is not there", "docs/abi.md has no heading #nothing"])
        self.assertEqual(list(lost_files("`docs/abi.md` `docs/no.md` `msm/order/cuts` `tests/msm`")), ["1: docs/no.md is not there"])
        self.assertEqual(list(dead_links(page, "`[a](b)`\n```\n[a](b)\n```\n[x](https://a.b/c)")), [])


if __name__ == "__main__":
    ROOT = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
