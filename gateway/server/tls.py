"""TLS for the doors: a context that can be read anew, and what binds a login to its channel (RFC 5929)."""

import hashlib
import ssl
from dataclasses import dataclass
from pathlib import Path

from asn1crypto import pem
from asn1crypto.x509 import Certificate

from sdcdb.errors import SdcdbError


@dataclass(frozen=True)
class Tls:
    """A context for new connections, and the hash of its certificate."""

    context: ssl.SSLContext
    binding: bytes


def read_tls(certificate: Path, key: Path) -> Tls:
    """Read certificate and key, or say what is wrong with them."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
        return Tls(context, end_point(certificate.read_bytes()))
    except ssl.SSLError as problem:
        said = problem.reason or "not understood"
        raise SdcdbError(f"{certificate} and {key} are no certificate with its key, in PEM ({said})") from None
    except OSError as problem:
        raise SdcdbError(f"cannot read {problem.filename or certificate}: {problem.strerror}") from None


def end_point(text: bytes) -> bytes:
    """Return `tls-server-end-point`: the certificate's hash, by the function that signed it, SHA-256 at least."""
    for kind, _, der in pem.unarmor(text, multiple=True):
        if kind == "CERTIFICATE":
            name = str(Certificate.load(der).hash_algo)
            return hashlib.new("sha256" if name in {"md5", "sha1"} else name, der).digest()
    raise SdcdbError("there is no certificate in the file")
