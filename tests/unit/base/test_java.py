"""Which Java Spark gets, and the sentence where there is none."""

import pytest

from kafka_fleet.base import java
from kafka_fleet.base.errors import UsageError


def java_in(home, *modules):
    """A runtime that lists these modules."""
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\n" + "".join(f"echo {name}\n" for name in modules))
    (home / "bin" / "java").chmod(0o755)
    return home


def test_an_old_or_trimmed_one_is_passed_by_and_a_good_one_is_found(tmp_path):
    old = java_in(tmp_path / "old", "java.base@11.0.2", "jdk.incubator.vector@11.0.2")
    trimmed = java_in(tmp_path / "trimmed", "java.base@21.0.1")
    good = java_in(tmp_path / "good", "java.base@21.0.1", "jdk.incubator.vector@21.0.1")
    environ = {"JAVA_HOME": str(old), "PATH": str(trimmed / "bin")}
    assert java.java_home(environ, (f"{tmp_path}/*",)) == good
    assert java.java_home(environ | {"JAVA_HOME": str(good)}, ()) == good
    with pytest.raises(UsageError, match="install openjdk-17-jre-headless") as refused:
        java.java_home(environ, (f"{tmp_path}/nothing*",))
    assert "\n" not in str(refused.value)
