"""A home in a bucket: takes `s3a://bucket/prefix` and credentials, gives paths and puts on a condition.

Paths are those of universal-pathlib, which have the methods of pathlib's that this project uses; the requests are made
by s3fs. Both come with the extra `s3` and are not imported for a home on a disk.

Spark's S3 client and botocore read the same variables: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
AWS_SESSION_TOKEN, AWS_ENDPOINT_URL, AWS_REGION. Without them each looks for credentials of the machine it runs on.
"""

import os
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from kafka_fleet.base.errors import UsageError

_URI = re.compile(r"s3a?://(?P<bucket>[^/]+)(?P<prefix>/.*)?")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://")
_REFUSED = ("PreconditionFailed", "412")
_BUSY = ("ConditionalRequestConflict", "409")  # another writer's put is not finished: S3 asks to try again
_TRIES = 20


def is_uri(home: str) -> bool:
    """Whether the text names a home that is no folder of this machine."""
    return _SCHEME.match(home) is not None


def is_bucket_path(path: Path) -> bool:
    """Whether a path lies in a bucket."""
    return not isinstance(path, Path)


def open_home(home: str) -> Path:
    """The home as a path. For a bucket it is asked once, so that what is wrong with it is said first.

    Raises UsageError with a sentence for an address that is none, a bucket that is not there or refuses, and a missing
    extra; ConnectionError when the bucket's server does not answer.
    """
    if not is_uri(home):
        return Path(home)
    address = _URI.fullmatch(home)
    if address is None:
        raise UsageError(f"{home}: the home is a folder or s3a://bucket/prefix")
    try:
        from botocore.exceptions import BotoCoreError, NoCredentialsError
        from upath import UPath

        path = UPath(f"s3a://{address['bucket']}{(address['prefix'] or '').rstrip('/')}", **_options(os.environ))
        files = path.fs
    except ImportError as error:
        raise UsageError(f"{home}: a home in a bucket needs the extra s3 ({error.name} is not installed)") from error
    try:
        files.call_s3(
            "list_objects_v2", Bucket=address["bucket"], Prefix=(address["prefix"] or "").strip("/"), MaxKeys=1
        )
    except FileNotFoundError:
        raise UsageError(f"{home}: there is no bucket {address['bucket']}") from None
    except PermissionError as error:
        raise UsageError(f"{home}: the bucket refuses the credentials ({_code(error)})") from None
    except NoCredentialsError:
        raise UsageError(f"{home}: no credentials are set for the bucket") from None
    except BotoCoreError as error:
        raise ConnectionError(f"{home}: {error}") from None
    except OSError as error:
        raise UsageError(f"{home}: the bucket cannot be used ({_code(error)})") from None
    return cast(Path, path)


def address(home: Path) -> str:
    """The home for another process: an absolute path, or the URI as Hadoop spells it."""
    return str(home) if is_bucket_path(home) else str(home.resolve())


def environment_of(login: str | None, password: str | None, extra: Mapping[str, Any]) -> dict[str, str]:
    """The variables that an Airflow connection (login, password, extra) stands for; what it leaves open is left out."""
    found = {
        "AWS_ACCESS_KEY_ID": login,
        "AWS_SECRET_ACCESS_KEY": password,
        "AWS_SESSION_TOKEN": extra.get("aws_session_token"),
        "AWS_ENDPOINT_URL": extra.get("endpoint_url"),
        "AWS_REGION": extra.get("region_name"),
    }
    return {name: str(value) for name, value in found.items() if value}


def hadoop_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Settings of Spark's S3 client besides the credentials, which it takes from the environment."""
    settings = {}
    if url := environment.get("AWS_ENDPOINT_URL"):
        settings["spark.hadoop.fs.s3a.endpoint"] = url
        settings["spark.hadoop.fs.s3a.path.style.access"] = (
            "true"  # servers other than Amazon's have no host per bucket
        )
    if region := environment.get("AWS_REGION"):
        settings["spark.hadoop.fs.s3a.endpoint.region"] = region
    return settings


def unreachable() -> tuple[type[Exception], ...]:
    """What a bucket raises besides OSError when its server is gone; nothing while no bucket is in use."""
    exceptions = sys.modules.get("botocore.exceptions")
    return () if exceptions is None else (exceptions.BotoCoreError,)


def _options(environment: Mapping[str, str]) -> dict[str, Any]:
    known = {
        "key": environment.get("AWS_ACCESS_KEY_ID"),
        "secret": environment.get("AWS_SECRET_ACCESS_KEY"),
        "token": environment.get("AWS_SESSION_TOKEN"),
        "endpoint_url": environment.get("AWS_ENDPOINT_URL"),
        "client_kwargs": {"region_name": environment["AWS_REGION"]} if environment.get("AWS_REGION") else None,
    }
    # a listing that is kept would hide what other writers write
    return {"use_listings_cache": False, **{name: value for name, value in known.items() if value}}


def get(path: Path) -> tuple[bytes | None, str | None]:
    """An object's bytes and the version that they are; twice None where there is none."""
    from fsspec.asyn import sync

    files = cast(Any, path).fs

    async def read() -> tuple[bytes, str]:
        answer = await files._call_s3("get_object", **_place(path))
        async with answer["Body"] as body:
            return await body.read(), str(answer["ETag"])

    try:
        found: tuple[bytes, str] = sync(files.loop, read)
    except FileNotFoundError:
        return None, None
    return found


def put(path: Path, content: bytes, if_none: bool = False, if_match: str | None = None) -> bool:
    """Put an object, on the condition that none is there or that it is still the version `if_match`.

    False when the condition does not hold. A put whose answer was lost is repeated by the client and then refused for
    its own sake: the caller sees another writer in it, which leaves a name or a claim unused and nothing done twice.
    """
    condition = {"IfMatch": if_match} if if_match else {"IfNoneMatch": "*"} if if_none else {}
    for _try in range(_TRIES):
        try:
            cast(Any, path).fs.call_s3("put_object", **_place(path), Body=content, **condition)
        except OSError as error:
            if condition and _code(error) in _REFUSED:
                return False
            if not condition or _code(error) not in _BUSY:
                raise
            time.sleep(0.1)
        else:
            return True
    raise OSError(f"{path}: rivals kept it busy over {_TRIES} tries")


def _place(path: Path) -> dict[str, str]:
    name, _slash, key = str(cast(Any, path).path).partition("/")
    return {"Bucket": name, "Key": key}


def _code(error: OSError) -> str:
    """The server's name for an error, which s3fs keeps as its cause."""
    answer: Mapping[str, Any] = getattr(error.__cause__, "response", {})
    return str(answer.get("Error", {}).get("Code") or error)
