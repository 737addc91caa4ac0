"""The server's side of one SCRAM exchange, with or without binding to the TLS channel."""

from scramp import ScramException, ScramMechanism

from sdcdb.gateway.auth.verifier import MECHANISM, Verifier

PLUS = f"{MECHANISM}-PLUS"
_NOBODY = "user"  # PostgreSQL's clients say who they are at startup, and leave the name in the exchange empty


class ExchangeFailed(Exception):  # noqa: N818 - reads as what it says
    """The proof is wrong, or the messages are."""


class Exchange:
    """client-first, server-first, client-final, server-final. `binding` is the hash of the server's certificate."""

    def __init__(self, mechanism: str, verifier: Verifier, binding: bytes | None = None) -> None:
        if mechanism not in {MECHANISM, PLUS} or (mechanism == PLUS and binding is None):
            raise ExchangeFailed("this mechanism was not offered")
        known = (verifier.salt, verifier.stored_key, verifier.server_key, verifier.iterations)
        channel = None if binding is None else ("tls-server-end-point", binding)
        self._server = ScramMechanism(mechanism).make_server(lambda _name: known, channel_binding=channel)

    def begin(self, client_first: bytes) -> bytes:
        """Take the client's first message; return the server's."""
        try:
            header, name, rest = _parts(client_first.decode("utf-8"))
            self._server.set_client_first(f"{header}n={_NOBODY},{rest}")
            self._server.client_first_bare = f"n={name},{rest}"  # the proof is about the message as it was sent
            return str(self._server.get_server_first()).encode()
        except (ScramException, ValueError) as problem:
            raise ExchangeFailed("the first message is not understood") from problem

    def finish(self, client_final: bytes) -> bytes:
        """Check the client's proof; return the server's own."""
        try:
            self._server.set_client_final(client_final.decode("utf-8"))
            return str(self._server.get_server_final()).encode()
        except (ScramException, ValueError) as problem:
            raise ExchangeFailed("the proof is wrong") from problem


def _parts(message: str) -> tuple[str, str, str]:
    """Split `n,,n=NAME,r=NONCE` into header, name and what follows."""
    flag, authzid, bare = message.split(",", 2)
    name, rest = bare.split(",", 1)
    if not name.startswith("n="):
        raise ValueError("no name")
    return f"{flag},{authzid},", name[2:], rest
