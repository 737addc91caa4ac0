"""SCRAM as PostgreSQL's clients speak it: no name in the exchange, and bound to the TLS channel if they can."""

import base64

import pytest
from scramp import ScramClient
from support.serving import PASSWORD

from sdcdb.gateway.auth.exchange import PLUS, Exchange, ExchangeFailed
from sdcdb.gateway.auth.verifier import LEAST_ITERATIONS, MECHANISM, make_verifier

VERIFIER = make_verifier(PASSWORD, LEAST_ITERATIONS)
BINDING = b"h" * 32


def client(password: str, binding: bytes | None = None) -> ScramClient:
    channel = None if binding is None else ("tls-server-end-point", binding)
    return ScramClient([MECHANISM if binding is None else PLUS], "ann", password, channel_binding=channel)


def run(server: Exchange, asking: ScramClient) -> None:
    asking.set_server_first(server.begin(asking.get_client_first().encode()).decode())
    asking.set_server_final(server.finish(asking.get_client_final().encode()).decode())


def test_the_right_password_gets_in_and_the_server_proves_itself() -> None:
    run(Exchange(MECHANISM, VERIFIER), client(PASSWORD))
    run(Exchange(PLUS, VERIFIER, BINDING), client(PASSWORD, BINDING))


def test_a_wrong_password_does_not() -> None:
    with pytest.raises(ExchangeFailed, match="the proof is wrong"):
        run(Exchange(MECHANISM, VERIFIER), client(PASSWORD + "!"))


def test_another_channel_does_not() -> None:
    with pytest.raises(ExchangeFailed, match="the proof is wrong"):
        run(Exchange(PLUS, VERIFIER, BINDING), client(PASSWORD, b"x" * 32))


def test_somebody_between_cannot_talk_a_client_out_of_binding() -> None:
    """A client that could bind says so; if the server could, too, somebody removed the offer."""
    first = b"y,,n=,r=" + base64.b64encode(b"nonce" * 4)
    with pytest.raises(ExchangeFailed):
        Exchange(MECHANISM, VERIFIER, BINDING).begin(first)


def test_libpq_leaves_the_name_empty() -> None:
    assert Exchange(MECHANISM, VERIFIER).begin(b"n,,n=,r=abcdefghijkl").startswith(b"r=abcdefghijkl")


def test_a_mechanism_that_was_not_offered_is_refused() -> None:
    for mechanism, binding in (("SCRAM-SHA-1", None), ("PLAIN", None), (PLUS, None)):
        with pytest.raises(ExchangeFailed, match="not offered"):
            Exchange(mechanism, VERIFIER, binding)


@pytest.mark.parametrize("first", [b"", b"n", b"n,,", b"n,,r=x", b"n,,n=,", b"\xff,,n=,r=a", b"p=tls-unique,,n=,r=abc"])
def test_a_first_message_that_is_none_is_refused(first: bytes) -> None:
    with pytest.raises(ExchangeFailed):
        Exchange(MECHANISM, VERIFIER).begin(first)


@pytest.mark.parametrize("final", [b"", b"c=biws", b"c=biws,r=x,p=AAAA", b"\xff"])
def test_a_last_message_that_is_none_is_refused(final: bytes) -> None:
    server = Exchange(MECHANISM, VERIFIER)
    server.begin(b"n,,n=,r=abcdefghijkl")
    with pytest.raises(ExchangeFailed):
        server.finish(final)
