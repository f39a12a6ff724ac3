"""The examples of README and documentation: fenced blocks, and what each is."""

import doctest
import itertools
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
MARKDOWN = MarkdownIt("commonmark").enable("table")
# A comment before a block that says how it is tested, if not as its language is by default.
MARK = re.compile(r"^<!-- (run|not run|with results|tested in|sample)(?:: (.+?))? -->$", re.DOTALL)
FILE = re.compile(r"`([\w./-]+)`[^`\n]*:$")


@dataclass(frozen=True)
class Block:
    """A fenced block.

    Attributes:
        page: path in the repository; `line` of the fence.
        mark, reason: of the comment before it; "" without one.
        file: the file that it is the content of, where the paragraph before ends in "`NAME`:".
    """

    page: str
    line: int
    language: str
    content: str
    mark: str
    reason: str
    file: str

    def __str__(self):
        return f"{self.page}:{self.line}"


def pages():
    """README, that of config/, and all pages of docs/, by path in the repository."""
    found = [ROOT / "README.md", ROOT / "config/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in found}


def blocks_of(page, text):
    """The blocks of a page in their order. An indented block has the language "indented"."""
    found, before, comment = [], "", ""
    for token in MARKDOWN.parse(text):
        if token.type in ("fence", "code_block"):
            mark = MARK.match(comment)
            file = FILE.search(before)
            language = token.info if token.type == "fence" else "indented"
            found.append(
                Block(
                    page=page,
                    line=token.map[0] + 1,
                    language=language,
                    content=token.content,
                    mark=mark.group(1) if mark else "",
                    reason=(mark.group(2) or "") if mark else "",
                    file=file.group(1) if file else "",
                )
            )
            before = comment = ""
        elif token.type == "inline":
            before, comment = token.content.strip(), ""
        elif token.type == "html_block":
            comment = token.content.strip()
    return found


BLOCKS = [block for page, text in pages().items() for block in blocks_of(page, text)]


def outputs(blocks):
    """Blocks that show what the runnable block right before them prints, by that block."""
    return {
        before: shown
        for before, shown in itertools.pairwise(blocks)
        if shown.language == "text" and not shown.mark and not shown.file
    }


def same_output(shown, printed):
    """Whether it was printed as shown, where "..." stands for anything."""
    checker = doctest.OutputChecker()
    return checker.check_output(shown.rstrip() + "\n", printed.rstrip() + "\n", doctest.ELLIPSIS)


def commands_of(content):
    """The commands of a shell block as lists of words, without comments.

    Pipes and lists are taken apart; variables set for one command, and files that take its output,
    are left out.
    """
    pending, commands = "", []
    for line in content.splitlines():
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1]
            continue
        try:
            words = shlex.split(pending, comments=True)
        except ValueError:  # a quotation that goes on
            pending += "\n"
            continue
        pending = ""
        command, before = [], ""
        for word in [*words, ";"]:
            if word in ("|", "&&", "||", ";"):
                commands.append(command)
                command = []
            elif word != ">" and before != ">" and (command or not re.match(r"^[A-Z_]+=", word)):
                command.append(word.removeprefix(".venv/bin/") if not command else word)
            before = word
    return [command for command in commands if command]


def project_at(folder):
    """A reader's copy of the project: configuration and results of its own, all else linked."""
    for path in ROOT.iterdir():
        if path.name not in ("config", "results", "site") and not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    shutil.copytree(ROOT / "config", folder / "config")
    return folder
