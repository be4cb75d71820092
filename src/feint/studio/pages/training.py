"""Training: start, stop and resume runs, each a process of its own."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterator
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Annotated, Any, Literal, final, get_args, get_origin

import htpy as h
from fastapi import APIRouter, Query, Request
from htpy import Node, Renderable
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse

from feint.games.errors import BadInput
from feint.runs.agents import comes_with_feint
from feint.runs.config import MOST, RunConfig, algorithms, changes, explained, flat, resolve, written
from feint.solvers.algorithm import Config
from feint.studio.index import Index
from feint.studio.page import chooser, field, shell
from feint.studio.pages.runs import FEW, address
from feint.studio.refusals import REFUSALS, Nothing
from feint.studio.trainings import STARTING, STOPPING

router = APIRouter()
USUAL = ("pcfr+", "nfsp")
"""What a page proposes, in this order, where it suits the game."""
ENDS = (
    ("seconds", "Seconds", "any"),
    ("steps", "Steps", "1"),
    ("hands", "Hands", "1"),
    ("until", "Exploitability", "any"),
)
Name = Annotated[str, Field(max_length=120)]
Count = Annotated[int | None, Field(gt=0, lt=10**18)]
Amount = Annotated[float | None, Field(gt=0, lt=MOST)]


class Ends(BaseModel, extra="forbid"):
    """When a run stops, whichever comes first; told nothing, after a minute or at exploitability 1e-4."""

    seconds: Amount = None
    steps: Count = None
    hands: Count = None
    until: Amount = None


@final
class Start(Ends):
    """A run is asked for."""

    game: Name
    algorithm: Name
    name: Annotated[str | None, Field(max_length=120)] = None
    """What its folder is called; none for a name after what it does."""
    preset: Annotated[str | None, Field(max_length=120)] = None
    seed: Annotated[int, Field(ge=0, lt=2**62)] = 0
    settings: Annotated[dict[Name, Annotated[str, Field(max_length=400)]], Field(max_length=200)] = {}
    """Those that are not as the preset has them, by their dotted names, as --set takes them."""


class Begun(BaseModel):
    """A training, and where it is to be seen."""

    key: str
    state: str
    goto: str


@router.post("/api/runs", responses=REFUSALS)
def start(request: Request, asked: Start) -> Begun:
    """Train a new run."""
    studio = request.app.state.studio
    studio.index.check_trainable(asked.game)
    config = resolve(asked.algorithm, asked.settings, asked.preset)
    default = resolve(asked.algorithm, {}, asked.preset)
    run = RunConfig(asked.game, asked.algorithm, asdict(config), asked.seed)
    name = asked.name or usual_name(studio.index, asked.game, asked.algorithm)
    studio.trainings.start(name, _until(run, asked), asked.preset, changes(asdict(config), asdict(default)))
    return Begun(key=name, state=STARTING, goto=address(name))


@router.post("/api/runs/{key}/stop", responses=REFUSALS)
def stop(request: Request, key: str, _: Nothing) -> Begun:
    """End a run that this studio trains, and keep everything."""
    studio = request.app.state.studio
    if studio.trainings.find(key) is None:
        studio.index.one(key)  # which refuses names that are nothing
    studio.trainings.stop(key)
    return Begun(key=key, state=STOPPING, goto=address(key))


@router.post("/api/runs/{key}/resume", responses=REFUSALS)
def resume(request: Request, key: str, asked: Ends) -> Begun:
    """Go on with a run, for so much longer or up to so many steps."""
    studio = request.app.state.studio
    listed = studio.index.one(key)
    if comes_with_feint(listed.path):
        raise BadInput(f"{key} comes with Feint and stays as it is; train a run of your own.")
    studio.index.check_trainable(listed.config.game)
    studio.trainings.resume(listed, _until(listed.config, asked))
    return Begun(key=key, state=STARTING, goto=address(key))


def _until(config: RunConfig, asked: Ends) -> RunConfig:
    return replace(config, steps=asked.steps, hands=asked.hands, seconds=asked.seconds, until=asked.until)


def usual_name(index: Index, game: str, algorithm: str) -> str:
    """A name that no run has, after what it does."""
    base = re.sub(r"[^a-z0-9.]+", "-", f"{game}-{algorithm}".lower().replace("+", "-plus")).strip("-.")[:56] or "run"
    taken = {path.name for path in index.runs.iterdir()} if index.runs.is_dir() else set()
    numbered = (f"{base}-{number}" if number > 1 else base for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


@router.get("/train", include_in_schema=False)
def train_page(
    request: Request,
    game: Annotated[str, Query(max_length=200)] = "leduc",
    algorithm: Annotated[str | None, Query(max_length=120)] = None,
    preset: Annotated[str | None, Query(max_length=120)] = None,
) -> HTMLResponse:
    studio = request.app.state.studio
    known = studio.suited.algorithms(studio.index, game)
    games = [(name, f"{name}: {about}" if about else name) for name, about in studio.index.trainable().items()]
    choosing: list[Node] = [chooser("Game", "game", games, game, data_submit="", id="game")]
    content: Node
    if known is None:
        content = h.p(role="status", data_refresh="1000")[f"{game} is being unrolled, to see what suits it …"]
    else:
        usual = next((each for each in USUAL if each in known), known[0])
        chosen = algorithm if algorithm is not None and algorithm in known else usual
        entry = algorithms()[chosen]
        preset = preset if preset in entry.presets else None
        named = [(each, f"{each}: {algorithms()[each].about}") for each in known]
        presets = [("", "as by default"), *((each, each) for each in entry.presets)]
        choosing += [
            chooser("Algorithm", "algorithm", named, chosen, data_submit="", id="algorithm"),
            chooser("Preset", "preset", presets, preset or "", data_submit="", id="preset"),
        ]
        content = _form(game, chosen, preset, entry.presets[preset] if preset else entry.config)
    return HTMLResponse(
        shell(
            "Train a new run",
            h.p(".lead")[
                "A run is a process of its own and a folder of its own, the same that feint train makes. "
                "You can stop it and go on with it as you like."
            ],
            h.form(".choices", data_go="/train", aria_label="What to train")[choosing],
            content,
            path="/runs",
        )
    )


def _form(game: str, algorithm: str, preset: str | None, config: Config) -> Renderable:
    """All that a training is told."""
    ends = (
        field(label, name, "60" if name == "seconds" else "", "number", min="0", step=step, data_type="number")
        for name, label, step in ENDS
    )
    hidden = {"game": game, "algorithm": algorithm} | ({"preset": preset} if preset else {})
    return h.form(data_post="/api/runs", data_keep="", aria_label="The training")[
        (h.input(type="hidden", name=name, value=value) for name, value in hidden.items()),
        h.fieldset[
            h.legend["When it stops, whichever comes first"],
            h.div(".choices")[ends],
            h.p(".note")["Exploitability is in chips per hand, and exact; it can be an end only where it is known."],
        ],
        h.div(".choices")[
            field("Seed", "seed", "0", "number", min="0", step="1", data_type="number"),
            field(
                "Name of the run", "name", "", placeholder="after what it does", pattern="[a-z0-9][a-z0-9._\\-]{0,63}"
            ),
            h.button("#start.primary", type="submit")["Train"],
        ],
        _settings(config),
    ]


def _settings(config: Config) -> Node:
    """A field for each setting, with what it means; those that are changed are sent."""
    values, about, kinds = flat(asdict(config)), explained(config), dict(_kinds(config))
    if not values:
        return None
    fields_shown = (
        h.div(".setting")[
            _setting(name, text, kinds.get(name)),
            h.p(".note", id=f"about-{name}")[about[name]],
        ]
        for name, text in written(values).items()
    )
    return h.details("#settings", open=len(values) <= FEW)[
        h.summary[f"Its {len(values)} setting{'' if len(values) == 1 else 's'}"], h.div(".settings")[fields_shown]
    ]


def _setting(name: str, text: str, kind: Any) -> Node:
    more = {"data-group": "settings", "aria-describedby": f"about-{name}"}
    if choices := _choices(kind):
        return chooser(name, name, [(each, each) for each in choices], text, **more)
    return field(name, name, text, **more)


def _choices(kind: Any) -> list[str]:
    """What a setting can be, where that is a short list."""
    if kind is bool:
        return ["True", "False"]
    if get_origin(kind) is Literal:
        return [str(each) for each in get_args(kind)]
    parts = get_args(kind)
    if len(parts) == 2 and type(None) in parts:
        known = _choices(next(part for part in parts if part is not type(None)))
        return [*known, "None"] if known else []
    return []


def _kinds(config: Any, group: str = "") -> Iterator[tuple[str, Any]]:
    """What type each setting has, by its dotted name."""
    hints = typing.get_type_hints(type(config))
    for each in fields(config):
        value = getattr(config, each.name)
        if is_dataclass(value):
            yield from _kinds(value, f"{group}{each.name}.")
        else:
            yield group + each.name, hints[each.name]
