"""A certificate authority of a test's own: takes a folder, gives PEM files of keys and certificates that last two days.

RSA keys: the Jolokia agent 2.2.9 reads no other from PEM.
"""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID


def _known_as(host: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(host)) if host[:1].isdigit() else x509.DNSName(host)


class Authority:
    """Signs certificates; `ca` is the file that trusts them."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True)
        self.folder, self.ca = folder, folder / "ca.pem"
        self._key = rsa.generate_private_key(65537, 2048)
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        usage = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False,
            key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
            decipher_only=False,
        )  # fmt: skip
        builder = self._builder(self._name, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        made = builder.add_extension(usage, critical=True).sign(self._key, hashes.SHA256())
        self.ca.write_bytes(made.public_bytes(serialization.Encoding.PEM))

    def _builder(
        self, subject: x509.Name, key: rsa.RSAPublicKey, back: timedelta = timedelta(), days: float = 2
    ) -> x509.CertificateBuilder:
        now, own = datetime.now(UTC) - back, self._key.public_key()
        builder = x509.CertificateBuilder(self._name, subject, key, x509.random_serial_number())
        builder = builder.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=days))
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        return builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(own), critical=False)

    def issue(
        self, name: str, *hosts: str, password: str | None = None, back: timedelta = timedelta(), days: float = 2
    ) -> tuple[Path, Path]:
        """Files of a certificate and of its key (PKCS #8, encrypted where there is a password).

        With host names or addresses it is a server's and good for these alone; without any it is a client's. back:
        issued so long ago. days: valid for so long.
        """
        key = rsa.generate_private_key(65537, 2048)
        builder = self._builder(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key.public_key(), back, days
        )
        use = ExtendedKeyUsageOID.SERVER_AUTH if hosts else ExtendedKeyUsageOID.CLIENT_AUTH
        builder = builder.add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        if hosts:
            names = x509.SubjectAlternativeName([_known_as(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        locked = serialization.BestAvailableEncryption(password.encode()) if password else serialization.NoEncryption()
        certificate, private = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        certificate.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        private.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked))
        return certificate, private
