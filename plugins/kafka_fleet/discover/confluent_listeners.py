"""Listeners of cp-ansible: takes the variables of each broker, gives listeners with the addresses they advertise."""

import re
from collections.abc import Mapping

from kafka_fleet.discover.ansible import is_template
from kafka_fleet.discover.fields import Field
from kafka_fleet.discover.found import Listener, mechanism_of

Variables = Mapping[str, Field]
_PORTS = {"internal": 9092, "broker": 9091}
_MECHANISMS = {
    "plain": "PLAIN",
    "scram": "SCRAM-SHA-512",
    "scram256": "SCRAM-SHA-256",
    "kerberos": "GSSAPI",
    "oauth": "OAUTHBEARER",
}
_RBAC = ("ldap", "ldap_with_oauth", "oauth")  # of auth_mode: components log in by tokens at INTERNAL


def plain(field: Field | None) -> str | None:
    """A text that is no template."""
    return None if field is None or is_template(field.value) else field.text()


def host_of(host: str, variables: Variables) -> str:
    """The name that a host is spoken to by, as the collection has it."""
    aliased = variables.get("hostname_aliasing_enabled")
    if aliased is not None and aliased.flag():
        for name in ("hostname", "ansible_host"):
            if said := plain(variables.get(name)):
                host = said
                break
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def listeners_of(brokers: Mapping[str, Variables]) -> list[Listener]:
    """Listeners of the first broker's settings, INTERNAL before BROKER, with the address of each broker."""
    first = next(iter(brokers.values()))
    several = [first[name].flag() for name in _SEVERAL if name in first]
    names = ["internal", "broker"] if not several or several[0] is not False else ["internal"]
    custom = dict(first["kafka_broker_custom_listeners"].entries()) if _has_custom(first) and len(names) > 1 else {}
    names = list(dict.fromkeys([*names, *custom]))
    return [_listener(name, custom.get(name), brokers) for name in names]


_SEVERAL = ("kafka_broker_configure_multiple_listeners", "kafka_broker_configure_additional_brokers")


def _has_custom(variables: Variables) -> bool:
    field = variables.get("kafka_broker_custom_listeners")
    return field is not None and not is_template(field.value)


def _listener(key: str, own: Field | None, brokers: Mapping[str, Variables]) -> Listener:
    first = next(iter(brokers.values()))

    def said(name: str) -> Field | None:
        given = own.of(name) if own is not None else None
        return given if given is not None and given.value is not None else first.get(name)

    protocol = _protocol(key, own, first)
    encrypted = said("ssl_enabled")
    tls = None if encrypted is not None and encrypted.flag() is None else encrypted is not None and encrypted.flag()
    names = [_MECHANISMS.get(one, one) for one in (protocol or "").split(",") if one not in ("none", "")]
    mechanism = mechanism_of(names)
    security = None if tls is None else f"{'SASL_' if mechanism else ''}{'SSL' if tls else 'PLAINTEXT'}"
    security = None if protocol is None else security
    mutual, asked = said("ssl_mutual_auth_enabled"), said("ssl_client_authentication")
    certificate = bool(tls) and ((plain(asked) or "") == "required" or (mutual is not None and mutual.flag() is True))
    name = (plain(own.of("name")) if own is not None else None) or key.upper()
    servers = []
    for host, variables in brokers.items():
        of_host = variables.get("kafka_broker_custom_listeners")
        mine = of_host.of(key) if of_host is not None and not is_template(of_host.value) else None
        port = (mine.of("port").whole() if mine is not None else None) or _PORTS.get(key)
        told = plain(mine.of("hostname")) if mine is not None else None
        servers += [f"{told or host_of(host, variables)}:{port}"] if port is not None else []
    return Listener(name, servers, security, mechanism if security else None, certificate, True, f"listener {key}")


def _protocol(key: str, own: Field | None, first: Variables) -> str | None:
    """`none`, `plain`, `scram,plain` …; None where a template or a vault says it."""
    if own is not None and own.of("sasl_protocol").value is not None:
        told = plain(own.of("sasl_protocol"))
    elif key == "internal" and _mode(first) in _RBAC:
        return "oauth"
    elif "sasl_protocol" in first:
        told = plain(first["sasl_protocol"])
    else:
        return "none"
    return None if told is None else re.sub(r"\s", "", told.lower())


def _mode(variables: Variables) -> str | None:
    told = plain(variables.get("auth_mode"))
    rbac = variables.get("rbac_enabled")
    return told if told is not None else "ldap" if rbac is not None and rbac.flag() else "none"
