"""What a failed TLS handshake means: takes the error, gives a sentence of our own without a word of the far side."""

import ssl

_HOST, _NOT_YET, _EXPIRED = (62, 64), 9, 10  # X509_V_ERR_*: openssl/x509_vfy.h
_UNTRUSTED = (2, 18, 19, 20, 21, 24)
_WANTS_CERTIFICATE = (  # alerts: TLS 1.3 has one of its own, TLS 1.2 and Java's servers send the others
    "CERTIFICATE_REQUIRED",
    "ALERT_BAD_CERTIFICATE",
    "ALERT_HANDSHAKE_FAILURE",
    "ALERT_CERTIFICATE_UNKNOWN",
    "ALERT_UNKNOWN_CA",
)
_OWN_FILES = ("KEY_VALUES_MISMATCH", "PEM", "BAD_DECRYPT", "NO_START_LINE", "EE_KEY_TOO_SMALL")


def handshake_error(error: BaseException) -> str:
    """One sentence for an error of `ssl`, or for one that wraps it; every other error is a failed handshake."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _refused(error.verify_code)
    text = f"{getattr(error, 'reason', None) or error}".upper().replace(" ", "_")
    if any(word in text for word in _WANTS_CERTIFICATE):
        return "it wants a client certificate, and one that it trusts"
    if any(word in text for word in _OWN_FILES):
        return "the client's certificate, its key and the key's password do not fit together"
    if "WRONG_VERSION_NUMBER" in text or "RECORD_LAYER_FAILURE" in text:
        return "it does not speak TLS"
    return "the TLS handshake failed"


def _refused(code: int) -> str:
    if code in _HOST:
        return "its certificate is not for this host name"
    if code in (_EXPIRED, _NOT_YET):
        return "its certificate has expired" if code == _EXPIRED else "its certificate is not valid yet"
    if code in _UNTRUSTED:
        return "its certificate is not signed by a CA that is trusted here"
    return "its certificate did not pass the check"
