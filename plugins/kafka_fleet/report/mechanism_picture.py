"""The picture of a mechanism: takes its actors and steps, gives coordinates, and the picture as an SVG file."""

from dataclasses import dataclass

from kafka_fleet.knowledge.mechanisms import Mechanism, Step
from kafka_fleet.report.templating import render

WIDTH, EDGE, TOP = 720.0, 96.0, 58.0  # pixels
LINE, PAD = 15.0, 13.0  # height of a line of text, and what lies between two steps
_LETTER, _BOLD = 6.6, 7.4  # width of a letter at 12 px, on average and a little more
_BOX = 168.0  # width of a note


@dataclass(frozen=True)
class Arrow:
    """A message: from x1 to x2 at a height, with its lines of text above it."""

    kind: str
    x1: float
    x2: float
    y: float
    lines: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Note:
    """What happens at one actor: a box with its lines of text."""

    kind: str
    x: float
    left: float
    y: float
    height: float
    lines: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class MechanismPicture:
    """Everything that the picture shows; its words are `said`, for those who do not see it."""

    name: str
    about: str
    height: float
    actors: tuple[tuple[float, str], ...]
    arrows: tuple[Arrow, ...]
    notes: tuple[Note, ...]
    said: str


def _wrapped(text: str, width: float, bold: bool) -> list[str]:
    """Lines that fit; a word that does not is a line of its own."""
    most = max(8, int(width / (_BOLD if bold else _LETTER)))
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}".strip()
        if len(joined) > most and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines


def _placed(lines: list[str], top: float) -> tuple[tuple[float, str], ...]:
    return tuple((round(top + LINE * place + 11, 1), text) for place, text in enumerate(lines))


def _said(mechanism: Mechanism, step: Step) -> str:
    if step.at is not None:
        return f"{mechanism.actors[step.at]}: {step.says}."
    return f"{mechanism.actors[step.sender or '']} to {mechanism.actors[step.to or '']}: {step.says}."


def mechanism_picture(name: str, mechanism: Mechanism) -> MechanismPicture:
    """Coordinates of every part, in pixels of a picture that is WIDTH wide."""
    gap = (WIDTH - 2 * EDGE) / (len(mechanism.actors) - 1)
    x_of = {key: round(EDGE + gap * place, 1) for place, key in enumerate(mechanism.actors)}
    arrows, notes, y = [], [], TOP
    for step in mechanism.steps:
        if step.at is None:
            x1, x2 = x_of[step.sender or ""], x_of[step.to or ""]
            lines = _wrapped(step.says, abs(x2 - x1) - 16, step.bold)
            bottom = y + LINE * len(lines) + 5
            arrows.append(Arrow(step.kind, x1, x2, bottom, _placed(lines, y)))
        else:
            width = min(_BOX, gap - 8) if len(mechanism.actors) > 2 else _BOX
            lines = _wrapped(step.says, width - 14, step.bold)
            bottom = y + LINE * len(lines) + 8
            x = x_of[step.at]
            left = min(max(x - width / 2, 4), WIDTH - width - 4)
            notes.append(Note(step.kind, round(left + width / 2, 1), left, y, bottom - y, _placed(lines, y + 5)))
        y = bottom + PAD
    return MechanismPicture(
        name=name,
        about=mechanism.about,
        height=y + 4,
        actors=tuple((x_of[key], said) for key, said in mechanism.actors.items()),
        arrows=tuple(arrows),
        notes=tuple(notes),
        said=" ".join([mechanism.about, *(_said(mechanism, step) for step in mechanism.steps)]),
    )


def mechanism_svg(name: str, mechanism: Mechanism) -> str:
    """The picture as a file that can be read in light and in dark."""
    return render("mechanism_file.html.j2", m=mechanism_picture(name, mechanism)).strip() + "\n"
