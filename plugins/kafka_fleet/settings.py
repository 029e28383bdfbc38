"""Every variable KAFKA_FLEET_*: takes the environment, gives checked values; nothing else reads one.

A variable is read when its value is needed, so that one that is wrong stops only what depends on it. The table in
docs/reference/settings.md is made from this model.
"""

import os
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError

from kafka_fleet.base.errors import UsageError

PREFIX = "KAFKA_FLEET_"
LEAST_RAW_DAYS = 2  # yesterday is judged today, and begins with the last sweeps of the day before
_PACK = r"[0-9]{1,6}(\.[0-9]{1,6}){1,3}"  # a version
_SHOWN = 20  # characters of a value that is wrong


def _written_as(pattern: str) -> Callable[[object], object]:
    """Python would also take a sign, an exponent, blanks and underscores in a number."""

    def check(value: object) -> object:
        if isinstance(value, str) and not re.fullmatch(pattern, value):
            raise ValueError("it is no number")
        return value

    return check


def _none_if_empty(value: object) -> object:
    return None if value == "" else value


def _listed(value: object) -> object:
    """Parts between commas, each once, in their order."""
    if not isinstance(value, str):
        return value
    return tuple(dict.fromkeys(one.strip() for one in value.split(",") if one.strip()))


WHOLE = BeforeValidator(_written_as(r"[0-9]{1,9}"))
DECIMAL = BeforeValidator(_written_as(r"[0-9]{1,9}(\.[0-9]{1,6})?"))
UNSET = BeforeValidator(_none_if_empty)
Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]


def _setting(default: Any, sentence: str, expected: str, read_by: str, **limits: Any) -> Any:
    """A field. sentence: what the variable does; expected: what it must be, as the message on a wrong value ends."""
    return Field(default, description=sentence, json_schema_extra={"expected": expected, "read_by": read_by}, **limits)


class Settings(BaseModel):
    """The variables, in the order of the documentation; the name of a field is the variable's, without its prefix."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    file: Annotated[str | None, UNSET] = _setting(
        None, "The fleet file. Acknowledgements are kept beside it.", "the path of a file", "DAGs, page"
    )
    home: str = _setting(
        "/var/lib/kafka-fleet",
        "The home: all that is collected, judged and written.",
        "a folder or s3a://bucket/prefix",
        "DAGs, page",
        min_length=1,
    )
    secrets: Annotated[str | None, UNSET] = _setting(
        None,
        "A YAML file of connections, for the command line: id, then login, password and extra.",
        "the path of a file",
        "command line",
    )
    knowledge: Annotated[str | None, Field(pattern=rf"^(builtin|{_PACK})$"), UNSET] = _setting(
        None,
        "The pack of knowledge that is used, as [installed](../knowledge.md). Unset: the one that "
        "`kafka-fleet knowledge use` chose for the home, else the program's own.",
        "builtin, or the version of a pack that is installed in the home",
        "DAGs, page, command line",
    )
    knowledge_key: Annotated[str | None, UNSET] = _setting(
        None,
        "A public key of Ed25519. Where it is set, only packs of knowledge that it signed are installed and previewed.",
        "the path of a PEM file",
        "command line",
    )
    smtp: Annotated[SecretStr | None, UNSET] = _setting(
        None,
        "The mail server of the command line. Without it AIRFLOW_CONN_SMTP_DEFAULT counts.",
        "a JSON object with host, port, login, password and extra",
        "command line",
    )
    digests: Words = _setting(
        (),
        "Owners who get one mail a day for all their clusters instead of a letter for each. "
        "`*`: all owners of more than one cluster.",
        "mail addresses with commas between them, or *",
        "DAGs, command line",
    )
    heartbeat_days: Annotated[int, WHOLE] = _setting(
        7,
        "After so many days without a letter one is sent though nothing changed. 0: never.",
        "it is a number of days, 0 for never",
        "DAGs, command line",
        le=999,
    )
    page_url: Annotated[str | None, Field(pattern=r"^https?://[^\s\"'<>#?]+$"), UNSET] = _setting(
        None,
        "The address of the page Fleet Health, to which letters link, such as "
        "`https://airflow.example.org/fleet-health`. Unset: letters name their attachment instead.",
        "an address that begins with https:// or http:// and has no query",
        "DAGs, command line",
    )
    platform_owners: Words = _setting(
        (),
        "Who hears by mail that letters are late or a run has failed.",
        "mail addresses with commas between them",
        "DAGs, command line",
    )
    deadline_hours: Annotated[float, DECIMAL] = _setting(
        6.0,
        "Hours after the end of a day, at midnight UTC, by which its letters are out. 0: no alert. "
        "In Airflow a wrong value counts as 6, and `letters_due` is red.",
        "it is a number of hours, 0 for none",
        "DAGs, command line",
        lt=1000,
    )
    missed_days: Annotated[int, WHOLE] = _setting(
        14,
        "So many days before the last whole one are judged when Airflow was down or `fleet_health` paused.",
        "a number of days, 0 for none",
        "DAGs, when they are parsed",
        le=999,
    )
    keep_raw_days: Annotated[int | None, WHOLE, UNSET] = _setting(
        None,
        "So many days of raw are left by `tidy`, which deletes what is older. Unset: all of them.",
        f"a number of days, {LEAST_RAW_DAYS} at least",
        "DAGs, command line",
        ge=LEAST_RAW_DAYS,
    )
    mapped_tasks: Annotated[int, WHOLE] = _setting(
        100,
        "Most mapped tasks of a step; with more clusters, neighbours share one.",
        "a number of tasks, 1 at least",
        "DAGs, when they are parsed",
        ge=1,
    )
    retry_seconds: Annotated[int, WHOLE] = _setting(
        120,
        "The wait before a failed task of `fleet_health` is tried again.",
        "a number of seconds",
        "DAGs, when they are parsed",
    )
    spark_wait_seconds: Annotated[float, DECIMAL] = _setting(
        600.0,
        "A Spark job on a cluster ends with a sentence when it has had no executor for so long.",
        "it must be a number of seconds above 0",
        "Spark jobs",
        gt=0,
    )
    artifacts: Annotated[str | None, UNSET] = _setting(
        None,
        "Where the demo and the live tests keep Kafka's jars. Unset: `~/.cache/kafka-fleet/kafka`.",
        "a folder",
        "demo, tests",
    )
    ivy_settings: Annotated[str | None, UNSET] = _setting(
        None, "An ivysettings file of a mirror, from which the demo fetches jars.", "the path of a file", "demo, tests"
    )


class Described(NamedTuple):
    """One variable in words, for the documentation."""

    variable: str
    sentence: str
    expected: str
    default: object
    read_by: str


def variable(field: str) -> str:
    """The variable of a field of Settings."""
    if field not in Settings.model_fields:
        raise KeyError(field)
    return PREFIX + field.upper()


def described() -> list[Described]:
    """All variables."""
    found = []
    for name, field in Settings.model_fields.items():
        extra = field.json_schema_extra
        if not isinstance(extra, dict) or field.description is None:
            raise TypeError(f"{name} is not described")
        words = str(extra["expected"]), field.default, str(extra["read_by"])
        found.append(Described(variable(name), field.description, *words))
    return found


def read_settings(*fields: str, environ: Mapping[str, str] | None = None) -> Settings:
    """The values of these fields; only they can be asked for, so that no other variable has to be right.

    environ: the process' own unless it is given. Raises UsageError with one sentence: the variable, its value unless it
    is a secret, and what is expected.
    """
    given = os.environ if environ is None else environ
    wanted = {field: variable(field) for field in fields}
    values = {field: given[name] for field, name in wanted.items() if name in given}
    try:
        found = Settings.model_validate(values)
    except ValidationError as error:
        field = str(error.errors()[0]["loc"][0])
        words = {one.variable: one for one in described()}[variable(field)]
        hidden = SecretStr in get_args(Settings.model_fields[field].annotation)
        value = "not what it should be" if hidden else repr(values[field][:_SHOWN])
        raise UsageError(f"{words.variable} is {value}: {words.expected}") from None
    for field in Settings.model_fields.keys() - wanted.keys():
        del found.__dict__[field]
    return found
