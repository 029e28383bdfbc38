"""Bootstrap servers before and after the Kafka library: takes host:port texts, gives why they cannot be used."""

import socket

from kafka_fleet.endpoints import resolve


def refused(server: str) -> str | None:
    """Why a bootstrap server is never contacted: its name resolves to forbidden addresses only."""
    host, _colon, port = server.rpartition(":")
    try:
        resolve(host.strip("[]"), int(port))
    except PermissionError as error:
        return f"forbidden: {error}"
    except OSError:
        return None  # another server of the list may have a name that resolves
    return None


def diagnosis(servers: list[str]) -> str:
    """What a plain connection to the first servers meets; the library only says that time ran out."""
    met = []
    for server in servers[:3]:
        host, _colon, port = server.rpartition(":")
        try:
            socket.create_connection((str(resolve(host.strip("[]"), int(port))[0]), int(port)), 2.0).close()
            met.append(
                f"{server} accepts connections and does not answer as Kafka, or not with these TLS/SASL settings"
            )
        except socket.gaierror:
            met.append(f"{server} does not resolve")
        except OSError as error:
            met.append(f"{server}: {(error.strerror or 'no connection in time').lower()}")
    return "; ".join(met)
