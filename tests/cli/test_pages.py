# SPDX-License-Identifier: Apache-2.0
"""Pages of the manual and completions of the shells: all that the tables of options hold is in each.

    test_pages.py PAIL CMAKE INSTALL [unittest arguments]

INSTALL is the script that installs tools/pail. What there is, is taken from --help; shells complete.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PAIL, CMAKE, INSTALL = (sys.argv.pop(1) for _ in range(3))


def run(*args, **kwargs):
    done = subprocess.run([str(word) for word in args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=60, **kwargs)
    if done.returncode != 0:
        raise AssertionError(f"{args}: {done.stderr}")
    return done.stdout


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        run(CMAKE, f"-DCMAKE_INSTALL_PREFIX={folder.name}", "-P", INSTALL)
        cls.share = Path(folder.name) / "share"
        listed = run(PAIL, "--help").split("exit status:")[0]
        cls.commands = [name.strip() for name in re.findall(r"^  ([a-z]+(?: [a-z][a-z-]*)?)  +\S", listed, re.M)]
        cls.options, cls.values = {}, {}
        for command in cls.commands:
            # An option with its help in one line.
            shown = re.sub(r"\n {20,}", " ", run(PAIL, *command.split(), "--help"))
            rows = re.findall(r"^  --([a-z][a-z0-9-]*)(?: (\S+))? +(.*)$", shown, re.M)
            cls.options[command] = {name for name, _, _ in rows} | set(re.findall(r"; or --([a-z]+)$", shown, re.M))
            for name, argument, text in rows:
                found = re.search(r": ([a-z0-9-]+(?: \(default\))?(?:, [a-z0-9-]+(?: \(default\))?)+)$", text)
                if argument and found:
                    cls.values[command, name] = found[1].replace(" (default)", "").split(", ")

    def need(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not installed")


class Help(Case):
    def test_what_help_says(self):
        """The lists that the other tests compare with are not empty."""
        self.assertGreater(len(self.commands), 12)
        self.assertIn("adstack eval", self.commands)
        self.assertIn("tpb", self.options["msm"])
        self.assertGreater(sum(map(len, self.options.values())), 200)
        self.assertEqual(self.values["msm", "curve"], ["bn254", "bls12-381"])
        self.assertEqual(self.values["bench", "group"], ["g1", "g2", "all"])
        self.assertIn("small-order", self.values["ab", "base-kind"])
        self.assertGreater(len(self.values), 50)


    def test_examples(self):
        """Each command has examples, whose options are options; of the files that texts name, each is installed."""
        for command in self.commands:
            text = run(PAIL, "help", *command.split())
            examples = re.findall(r"^  pail (.*)$", text.split("\nexamples:\n")[1].split("\n\n")[0], re.M)
            self.assertTrue(any(line.startswith(command) for line in examples), command)
            for line in examples:
                run(PAIL, *line.split(), *(["--help"] if command != "adstack id" else []))
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)
            for name in re.findall(r"\b([\w-]+\.md)\b", text):
                self.assertTrue((self.share / "doc/pail" / name).exists(), f"{command}: {name}")
            self.assertNotIn("docs/", text)


class Manual(Case):
    def test_examples(self):
        for command in self.commands:
            self.assertIn(f"\n\\fBpail {command}", self.page(command)[1].split("\n.SH EXAMPLES\n")[1])

    def page(self, command):
        name = "-".join(["pail", *command.split()])
        path = self.share / "man/man1" / f"{name}.1"
        return path, path.read_text().replace(r"\-", "-")

    def test_commands(self):
        _, text = self.page("")
        for command in self.commands:
            self.assertIn(rf"\fBpail {command}\fR", text)
            self.assertIn(f".BR pail-{command.replace(' ', '-')} (1)", text)
        self.assertEqual(len(list((self.share / "man/man1").iterdir())), len(self.commands) + 1)

    def test_options(self):
        for command in self.commands:
            _, text = self.page(command)
            shown = set(re.findall(r"^\\fB--([a-z0-9-]+)\\fR", text, re.M)) | set(re.findall(r"; or --(\w+)$", text, re.M))
            self.assertEqual(shown, self.options[command] | {"help"}, command)
            self.assertNotIn("inject-wrong-row", text)

    def test_values(self):
        for (command, option), values in self.values.items():
            text = self.page(command)[1].split(rf"\fB--{option}\fR")[1].split(".TP")[0]
            for value in values:
                self.assertIn(value, text.replace(r"\&", ""))

    def test_warnings(self):
        self.need("groff")
        for path in (self.share / "man/man1").iterdir():
            done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", path], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=True)
            self.assertEqual(done.stderr, b"", path)
            self.assertIn(b"DESCRIPTION" if path.name != "pail.1" else b"ENVIRONMENT",
                          re.sub(rb".\x08", b"", done.stdout))

    def test_requests(self):
        """Without groff as well: every line with a dot in front is a request that man(7) has."""
        for path in (self.share / "man/man1").iterdir():
            for line in path.read_text().splitlines():
                self.assertNotRegex(line, r"^'")
                self.assertTrue(line.isascii(), line)
                if line.startswith("."):
                    self.assertRegex(line, r'^\.(\\"|TH |SH |SS |TP$|PP$|br$|BR )', path)


class Bash(Case):
    def complete(self, *words):
        """Words that the shell would offer for the last word; it divides words at = as bash does."""
        parts = [part for word in words for part in (re.split(r"(=)", word, maxsplit=1) if word.startswith("--") else [word])]
        if len(parts) > 1 and parts[-2] == "=" and parts[-1] == "":
            parts.pop()
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _pail; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return run("bash", "--norc", "-uc", script, "bash", self.share / "bash-completion/completions/pail", "pail",
                   *parts, cwd=self.share).split()

    def test_commands(self):
        firsts = {command.split()[0] for command in self.commands}
        self.assertEqual(set(self.complete("")), firsts | {"--help", "--version"})
        self.assertEqual(self.complete("me"), ["membudget", "mem"])
        for first in firsts:
            seconds = {command.split()[1] for command in self.commands if command.startswith(f"{first} ")}
            if seconds:  # and, where it is a command by itself, its options
                own = {f"--{name}" for name in self.options.get(first, ())} | {"--help"}
                files = {path.name for path in self.share.iterdir()}
                offered = set(self.complete(first, ""))
                self.assertEqual(offered, seconds | (files if first == "simulate" else own))  # one takes files
        self.assertEqual(self.complete("nothing", "--"), [])

    def test_options(self):
        for command in self.commands:
            offered = self.complete(*command.split(), "--")
            self.assertEqual(set(offered), {f"--{name}" for name in self.options[command] | {"help"}}, command)
            self.assertEqual(len(offered), len(set(offered)))

    def test_values(self):
        for (command, option), values in self.values.items():
            self.assertEqual(self.complete(*command.split(), f"--{option}", ""), values)
        self.assertEqual(self.complete("msm", "--n", "8", "--accumulator=w"), ["walker"])
        self.assertEqual(self.complete("msm", "--group="), ["g1", "g2"])
        self.assertEqual(self.complete("bench", "--curve", "bn254,b"), ["bn254,bn254", "bn254,bls12-381"])
        self.assertEqual(self.complete("warmup", "--curve", "bl"), ["bls12-381"])
        self.assertEqual(self.complete("msm", "--encoding", "e"), ["eip2537", "eip196"])
        self.assertEqual(self.complete("msm", "--n", ""), [])

    def test_files(self):
        self.assertEqual(self.complete("msm", "--zkey", "ma"), ["man"])
        self.assertEqual(self.complete("cache", "list", "ma"), ["man"])
        self.assertEqual(self.complete("adstack", "eval", "ma"), ["man"])
        self.assertEqual(self.complete("info", "ma"), [])
        self.assertEqual(self.complete("simulate", "ma"), ["man"])
        self.assertEqual(self.complete("simulate", "cl"), ["cluster"])
        self.assertEqual(self.complete("simulate", "cluster", "--file", "ma"), ["man"])


class Zsh(Case):
    @property
    def path(self):
        return self.share / "zsh/site-functions/_pail"

    def test_text(self):
        text = self.path.read_text()
        self.assertTrue(text.startswith("#compdef pail\n"))
        for command in self.commands:
            part = text.split(f"    '{command}')\n")[1].split(";;")[0]
            shown = set(re.findall(r"^            '\*?--([a-z0-9-]+)=?\[", part, re.M))
            self.assertEqual(shown, self.options[command] | {"help"}, command)
        for (command, option), values in self.values.items():
            part = text.split(f"    '{command}')\n")[1].split(";;")[0]
            self.assertRegex(part, rf"'--{option}=\[.*{' '.join(values)}\)?'")

    def test_run(self):
        """With functions in place of the shell's own, which say what they are called with."""
        self.need("zsh")
        script = ('_arguments() { print -rl -- "$@" }; _describe() { print -rl -- ${(P)2} }; f=$1; shift; '
                  'words=("$@"); CURRENT=$#; source $f')

        def call(*words):
            return run("zsh", "-fc", script, "zsh", self.path, "pail", *words).splitlines()
        firsts = {command.split()[0] for command in self.commands}
        self.assertEqual({line.split(":")[0] for line in call("")}, firsts)
        self.assertEqual([line.split(":")[0] for line in call("cache", "")], ["list", "verify", "prune"])
        for command in self.commands:
            names = {re.match(r"\*?--([a-z0-9-]+)", line)[1] for line in call(*command.split(), "--")
                     if re.match(r"\*?--", line)}
            self.assertEqual(names, self.options[command] | {"help"})


class Fish(Case):
    @property
    def path(self):
        return self.share / "fish/vendor_completions.d/pail.fish"

    def test_text(self):
        text = self.path.read_text()
        for command in self.commands:
            lines = re.findall(rf"^.*'__pail_is {command}(?:; and not [^']*)?'.*$", text, re.M)
            shown = {name for line in lines for name in re.findall(r" -l ([a-z0-9-]+)", line.split(" -d '")[0])}
            self.assertEqual(shown, self.options[command] | {"help"}, command)
        for (command, option), values in self.values.items():
            self.assertRegex(text, rf"'__pail_is {command}(; and not [^']*)?' -l {option}\b.* -a '.*{' '.join(values)}\)?'")

    def test_run(self):
        self.need("fish")

        def complete(line):
            shown = run("fish", "-N", "-c", 'source $argv[1]; complete -C "$argv[2]"', self.path, line)
            return {offered.split("\t")[0] for offered in shown.splitlines()}
        self.assertEqual(complete("pail "), {command.split()[0] for command in self.commands})
        self.assertEqual(complete("pail adstack "), {"id", "eval"})
        for command in ("msm", "cache prune", "tune", "bench", "bench prove"):
            self.assertEqual(complete(f"pail {command} --"),
                             {f"--{name}" for name in self.options[command] | {"help"}})
        self.assertEqual(complete("pail msm --curve "), {"bn254", "bls12-381"})
        self.assertEqual(complete("pail bench --group g1,g"), {"g1,g1", "g1,g2"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
