"""What all pictures share: a blank sheet, the colours, and how they are kept."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from feint.runs.files import write_whole

INK = "#333333"
COLOURS = ("#00796b", "#c88719", "#5e548e", "#a23b3b", "#3b6ea2", "#7a7a7a")


def blank(width: float, height: float) -> Any:
    """A figure of so many inches, drawn without a window."""
    # Imported late: it takes half a second, and most commands draw nothing.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def plain(axes: Any, title: str) -> None:
    """A title over the left end, and no frame above and to the right."""
    axes.set_title(title, color=INK, loc="left", fontweight="bold", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def keep(figure: Any, path: Path) -> Path:
    """Write a figure, all of it or none; the ending of its name chooses the format."""
    drawn = BytesIO()
    # Constrained layouts cut labels off beside axes of a fixed shape; tight ones make room.
    figure.savefig(drawn, format=path.suffix[1:], dpi=150, bbox_inches="tight", pad_inches=0.12)
    write_whole(path, drawn.getvalue())
    return path
