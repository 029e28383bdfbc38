"""A real broker behind TLS: takes a folder, gives its listeners (SASL_SSL, SSL with certificates) and its agent.

Every certificate is good for the name `localhost` alone, so the address 127.0.0.1 is a wrong name. The agent speaks
HTTPS and asks for a client certificate and a password, as docs/agent.md says.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kafka.admin import KafkaAdminClient, ScramMechanism, UserScramCredentialUpsertion

from fleet_demo.cluster import Cluster
from fleet_demo.processes import free_port
from fleet_demo.topics import create_topic
from support.servers.certificates import Authority

CLUSTERS = 10  # at most that ask its agent at once; with a single thread all wait for the slowest of them
RELEASE = "4.1.1"  # KRaft keeps SCRAM users from 3.5 on
HOST = "localhost"
LOGIN, PASSWORD = "canary-fleet", "canary-5d0c-of-kafka"
AGENT_LOGIN, AGENT_PASSWORD = "canary-collector", "canary-91be-of-jolokia"
KEY_PASSWORD = "canary-77aa-of-the-key"
SECRETS = (PASSWORD, AGENT_PASSWORD, KEY_PASSWORD)


class Secured(NamedTuple):
    """Where the broker answers, and the files that a client of it needs."""

    sasl: int
    mutual: int
    jolokia: int
    ca: Path
    other_ca: Path
    client: tuple[Path, Path]
    locked: tuple[Path, Path]

    def entry(self, name: str, port: int, host: str = HOST) -> dict[str, Any]:
        """A block of the fleet file; its connections are kafka_<name> and jolokia_<name>."""
        return {
            "id": name,
            "environment": "development",
            "owners": ["oncall@example.org"],
            "bootstrap_servers": [f"{host}:{port}"],
            "kafka_connection": f"kafka_{name}",
            "jolokia": {"brokers": {1: f"https://{host}:{self.jolokia}/jolokia"}, "connection": f"jolokia_{name}"},
        }

    def scram(
        self, password: str = PASSWORD, ca: Path | None = None, mechanism: str = "SCRAM-SHA-512"
    ) -> dict[str, Any]:
        """A connection to the SASL_SSL listener."""
        extra = {"security.protocol": "SASL_SSL", "sasl.mechanism": mechanism, "ssl.ca.location": str(ca or self.ca)}
        return {"conn_type": "kafka", "login": LOGIN, "password": password, "extra": extra}

    def certificate(self, present: bool = True) -> dict[str, Any]:
        """A connection to the SSL listener; its key has a password."""
        certificate, key = self.locked
        own = {"ssl.certificate.location": str(certificate), "ssl.key.location": str(key)}
        own |= {"ssl.key.password": KEY_PASSWORD}
        extra = {"security.protocol": "SSL", "ssl.ca.location": str(self.ca)} | (own if present else {})
        return {"conn_type": "kafka", "extra": extra}

    def agent(self, password: str = AGENT_PASSWORD, ca: Path | None = None, present: bool = True) -> dict[str, Any]:
        """A connection to the Jolokia agent."""
        certificate, key = self.client
        own = {"client_cert": str(certificate), "client_key": str(key)} if present else {}
        return {
            "conn_type": "http",
            "login": AGENT_LOGIN,
            "password": password,
            "extra": {"ca_file": str(ca or self.ca), **own},
        }


def _listeners(cluster: Cluster, authority: Authority, sasl: int, mutual: int) -> str:
    """What server.properties says beyond the demo's: the last of two lines for one key holds."""
    node = cluster.nodes[1]
    certificate, key = authority.issue("broker", HOST)
    both = authority.folder / "broker-keystore.pem"
    both.write_text(key.read_text() + certificate.read_text())
    inside = [f"PLAINTEXT://127.0.0.1:{node.port}", f"CONTROLLER://127.0.0.1:{node.controller_port}"]
    jaas = "org.apache.kafka.common.security.{0} required"
    settings = {
        "listeners": ",".join([*inside, f"SASL_SSL://127.0.0.1:{sasl}", f"SSL://127.0.0.1:{mutual}"]),
        "advertised.listeners": ",".join([inside[0], f"SASL_SSL://{HOST}:{sasl}", f"SSL://{HOST}:{mutual}"]),
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL",
        "inter.broker.listener.name": "PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512,PLAIN",
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config": f"{jaas.format('scram.ScramLoginModule')};",
        "listener.name.sasl_ssl.plain.sasl.jaas.config": (
            f'{jaas.format("plain.PlainLoginModule")} user_{LOGIN}="{PASSWORD}";'
        ),
        "listener.name.ssl.ssl.client.auth": "required",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": both,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": authority.ca,
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


@contextmanager
def secured_cluster(folder: Path) -> Iterator[Secured]:
    """The broker for the length of the block. Raises ArtifactError or ClusterError with the reason."""
    authority, other = Authority(folder / "authority", "fleet"), Authority(folder / "other", "somebody")
    certificate, key = authority.issue("agent", HOST)
    agent = {
        "protocol": "https",
        "serverCert": certificate,
        "serverKey": key,
        "caCert": authority.ca,
        "useSslClientAuthentication": "true",
        "extraClientCheck": "false",
        "user": AGENT_LOGIN,
        "password": AGENT_PASSWORD,
        "authMatch": "all",
        "executor": "fixed",
        "threadNr": CLUSTERS,
    }
    cluster = Cluster("secured", RELEASE, brokers=1, workdir=folder / "kafka", agent=agent)
    sasl, mutual = free_port(), free_port()
    with cluster.nodes[1].config.open("a") as config:
        config.write(_listeners(cluster, authority, sasl, mutual))
    with cluster:
        create_topic(cluster, "orders", 2, 1)
        admin = KafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers)
        try:
            user = UserScramCredentialUpsertion(LOGIN, ScramMechanism.SCRAM_SHA_512, PASSWORD)
            refused = admin.alter_user_scram_credentials([user])
        finally:
            admin.close()
        assert refused == {LOGIN: None}, refused
        yield Secured(
            sasl, mutual, cluster.nodes[1].jolokia_port, authority.ca, other.ca, authority.issue("collector"),
            authority.issue("locked", password=KEY_PASSWORD),
        )  # fmt: skip
