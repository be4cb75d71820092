"""Runs handed on: the strategy as one file, or the whole as a folder that a model hub takes as it is.

Such a folder is a finished run less what only training needs, so that `load_run` reads it; its README.md is a model
card with the front matter of Hugging Face's, .gitattributes has large files kept as they are there, and strategy.lock
has the digest of every file: `sha256sum -c strategy.lock` compares them anywhere.
"""

from __future__ import annotations

from pathlib import Path

from feint.games.errors import BadInput
from feint.runs.agents import own_folder
from feint.runs.files import BOUND, CONFIG, METRICS, PROVENANCE, RULES, STRATEGY, TIMINGS, digest_of, write_whole
from feint.runs.folder import write_card
from feint.runs.run import Run, load_run
from feint.runs.strategy_files import WRITERS, save_strategy

LOCK, ATTRIBUTES, SHEET = "strategy.lock", ".gitattributes", "strategy.csv"
LARGE = "*.safetensors filter=lfs diff=lfs merge=lfs -text\n"
"""What hubs keep apart from the text."""
MOST_ROWS = 10_000
"""Information sets of a strategy that comes as a sheet, too."""


def export(run: Run | Path | str, path: Path | str, trust: bool = False) -> Path:
    """Write a run's strategy to a file, as `save_strategy` does, or all of it to a folder, whose name has no ending."""
    run = run if isinstance(run, Run) else load_run(run, trust=trust)
    path = Path(path)
    if path.suffix in WRITERS:
        return save_strategy(run.strategy, run.form.game, path)
    if path.suffix:
        raise BadInput(
            f"{path.name!r} is neither a folder's name nor ends in {', '.join(WRITERS)}; choose another name."
        )
    return _folder(run, own_folder(path))


def _folder(run: Run, folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty; choose another folder.")
        names = [CONFIG, METRICS, TIMINGS, STRATEGY, PROVENANCE, BOUND]
        names += [str(file.relative_to(run.path)) for file in sorted((run.path / RULES).rglob("*.py"))]
        for name in names:
            if (run.path / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                write_whole(folder / name, (run.path / name).read_bytes())
        write_card(folder, run, run.form)
        if run.form.tree is not None and len(run.form.tree.player) <= MOST_ROWS:
            save_strategy(run.strategy, run.form.game, folder / SHEET)
        write_whole(folder / ATTRIBUTES, LARGE.encode())
        write_whole(folder / LOCK, lock_of(folder).encode())
    except OSError as error:
        raise BadInput(f"{folder} cannot be written ({error.strerror}); choose another folder.") from error
    return folder


def lock_of(folder: Path) -> str:
    """The digest of every file of a folder, a line each, as `sha256sum` reads them."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != LOCK)
    return "".join(f"{digest_of(file)}  {file.relative_to(folder).as_posix()}\n" for file in files)


def check_lock(folder: Path | str) -> None:
    """Raise `BadInput` where a folder is not what its lock file says, file by file; git's own files do not count."""
    folder = Path(folder)
    if not (folder / LOCK).is_file():
        raise BadInput(f"{folder} has no {LOCK}; export the run again.")
    locked, here = (
        {name: digest for digest, _, name in (line.partition("  ") for line in text.splitlines())}
        for text in ((folder / LOCK).read_text(), lock_of(folder))
    )
    here = {name: digest for name, digest in here.items() if not name.startswith(".git/")}
    for name in sorted(locked.keys() | here.keys()):
        if locked.get(name) != here.get(name):
            how = "is gone" if name not in here else "was added" if name not in locked else "was changed"
            raise BadInput(f"{folder} is not what its {LOCK} says: {name} {how}; fetch it again.")
