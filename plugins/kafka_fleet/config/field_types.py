"""Types of the fleet file's fields: each refuses what it cannot be, with a sentence that says what is allowed."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from kafka_fleet.base.addresses import server_problem, url_problem


def checked(problem: Callable[[str], str | None]) -> AfterValidator:
    """Refuses a text of which `problem` gives a sentence."""

    def check(value: str) -> str:
        found = problem(value)
        if found:
            raise ValueError(found)
        return value

    return AfterValidator(check)


def _template_problem(template: str) -> str | None:
    if template.count("{host}") != 1 or re.search(r"[{}]", template.replace("{host}", "")):
        return "must contain {host} once and no other braces"
    return url_problem(template.replace("{host}", "host.example.org"))


_MATCHER = r'[a-zA-Z_][a-zA-Z0-9_]*\s*(=~|!~|!=|=)\s*"([^"\\\n]|\\.)*"'
_MATCHERS = re.compile(rf"\s*({_MATCHER}\s*(,\s*{_MATCHER}\s*)*)?,?\s*")


def _matchers_problem(text: str) -> str | None:
    """What is between the braces of a selector of PromQL, and cannot end it."""
    if _MATCHERS.fullmatch(text):
        return None
    return 'must be matchers such as job="kafka",env=~"prod|test", without braces'


def _reserved(name: str) -> str | None:
    return "is reserved: the fleet page is index.html; choose another id" if name == "index" else None


Url = Annotated[str, checked(url_problem)]
Template = Annotated[str, checked(_template_problem)]
Matchers = Annotated[str, checked(_matchers_problem)]
Server = Annotated[str, checked(server_problem)]
Email = Annotated[
    str, Field(pattern=r"^[^@\s\x00-\x1f\x7f<>,;:\"\\]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,188}[A-Za-z0-9])?$")
]
Slug = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$"), checked(_reserved)]
ConnectionId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,200}$")]


def _unquoted(value: Any) -> Any:
    """A fleet file that another program wrote as JSON has its broker ids in quotes."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"0|[1-9][0-9]{0,9}", value) else value


BrokerId = Annotated[int, BeforeValidator(_unquoted), Field(strict=True, ge=0, le=2**31 - 1)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class Strict(BaseModel):
    """A part of the fleet file: unknown keys are mistakes."""

    model_config = ConfigDict(extra="forbid", frozen=True)
