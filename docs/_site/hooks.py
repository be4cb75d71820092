"""What MkDocs calls while it builds the site: pages from the code, files of other folders, equations."""

from __future__ import annotations

import html
import re
from pathlib import PurePosixPath
from typing import Any

import api
import commands
import guides
import links
from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

BLOCK = re.compile(r"^```math\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"\$<code>(.*?)</code>\$", re.DOTALL)
"""As GitHub writes them, so that pages can be read there: a block called math, and code between dollars."""

OUTSIDE = links.outside()


def on_config(config: Any) -> Any:
    config.nav = guides.contents()
    return config


def on_files(files: Files, config: Any) -> Files:
    for place, source in OUTSIDE.items():
        path = links.ROOT / source
        if source.suffix == ".py":
            add(files, config, str(place), shown(source))
        elif source.suffix == ".md":
            add(files, config, str(place), without_front_matter(path.read_text()))
        else:
            add(files, config, str(place), path.read_bytes())
    for page, content in {**guides.pages(), **api.pages(), **commands.pages()}.items():
        add(files, config, page, content)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    place = PurePosixPath(page.file.src_uri)
    source = OUTSIDE.get(place, PurePosixPath("docs") / place)
    if place.parts[0] in {"games", "algorithms"}:
        markdown = guides.completed(place, markdown)
    if source.suffix == ".md":
        markdown = links.rewritten(source, markdown)
    return BLOCK.sub(lambda match: f'<div class="math">{convert(match[1], display="block")}</div>', markdown)


def on_page_content(content: str, page: Any, config: Any, files: Files) -> str:
    return INLINE.sub(lambda match: convert(html.unescape(match[1])), content)


def add(files: Files, config: Any, place: str, content: str | bytes) -> None:
    files.append(File.generated(config, place, content=content))


def shown(source: PurePosixPath) -> str:
    """A program as a page."""
    return f"# {source}\n\n```python\n{(links.ROOT / source).read_text()}```\n"


def without_front_matter(text: str) -> str:
    """What people read of a model card."""
    return text.split("---\n", 2)[2] if text.startswith("---\n") else text
