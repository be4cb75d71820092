"""The reference of commands, from what they say of themselves by --help."""

from __future__ import annotations

from typing import Any

import typer.main

from feint.cli import app


def pages() -> dict[str, str]:
    group: Any = typer.main.get_command(app)
    lines = ["# Commands", "", "What `feint COMMAND --help` says. Data goes to stdout, talk to stderr.", ""]
    for name, command in group.commands.items():
        if not command.hidden:
            lines += [f"## feint {name}", "", " ".join((command.help or "").split()), "", *_options(command), ""]
    return {"reference/commands.md": "\n".join(lines)}


def _options(command: Any) -> list[str]:
    rows = []
    for each in command.params:
        if not getattr(each, "hidden", False) and each.name != "help":
            asked = each.param_type_name == "argument"
            names = (each.metavar or each.name.upper()).strip("[]{}.") if asked else ", ".join(each.opts)
            said = " ".join((getattr(each, "help", None) or "").split()).replace("|", "\\|").replace("<", "&lt;")
            rows.append(f"| `{names}` | {said} |")
    return ["| | |", "|---|---|", *rows] if rows else []
