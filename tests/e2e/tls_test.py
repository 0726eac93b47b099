"""TLS end to end: rows T01 to T09 of the attack catalogue against the running server, and D05."""

import os
import pathlib
import shutil
import socket
import ssl

import pytest

from harness import DEADLINE, wait_until

GET = b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n"


def sites(certificates, *names, **tls):
    """A TLS listener with a site and a certificate for each name; each says its name."""
    return {
        "listeners": {"https": {"tls": tls}},
        "sites": [{"host": name, "respond": {"body": name},
                   "tls": {"certificates": [certificates.make(name)]}} for name in names],
    }


def ask(server, name, host=None, context=None):
    with server.connect(tls=context, server_name=name) as connection:
        connection.send(GET % (host or name).encode())
        return connection.response(), connection.socket.version()


def test_sites_by_name_with_their_certificates(webship, certificates):
    server = webship(sites(certificates, "a.test", "b.test"))
    context = certificates.client_context()
    for name in ("a.test", "b.test"):
        response, version = ask(server, name, context=context)
        assert response.body == name.encode() and version == "TLSv1.3"


def test_ecdsa_and_rsa_side_by_side(webship, certificates):
    server = webship({
        "listeners": {"https": {"tls": {}}},
        "sites": [{"host": "pair.test", "respond": {"body": "x"}, "tls": {"certificates": [
            certificates.make("pair.test"),
            certificates.make("pair-rsa", "pair.test", key="rsa")]}}],
    })
    for ciphers, key in (("ECDHE-ECDSA-AES128-GCM-SHA256", "EC"),
                         ("ECDHE-RSA-AES128-GCM-SHA256", "RSA")):
        context = certificates.client_context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(ciphers)
        with server.connect(tls=context, server_name="pair.test") as connection:
            assert key in connection.socket.cipher()[0]


def test_T01_versions_below_1_2_are_refused(webship, certificates):
    server = webship(sites(certificates, "a.test"))
    context = certificates.client_context()
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        server.connect(tls=context, server_name="a.test")
    context = certificates.client_context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert ask(server, "a.test", context=context)[1] == "TLSv1.2"


def test_T02_an_unknown_name_gets_the_default_certificate(webship, certificates):
    server = webship(sites(certificates, "a.test", "b.test"))
    context = certificates.client_context()
    with pytest.raises(ssl.SSLCertVerificationError):
        server.connect(tls=context, server_name="c.test")
    context.check_hostname = False
    response, _ = ask(server, "c.test", context=context)
    assert response.status == 421, "its own site is configured nowhere"


def test_T02_or_is_rejected(webship, certificates):
    config = sites(certificates, "a.test")
    for site in config["sites"]:
        site["tls"]["unknown_name"] = "reject"
    config["listeners"]["https"]["tls"]["unknown_name"] = "reject"
    server = webship(config)
    with pytest.raises(ssl.SSLError, match="(?i)unrecognized"):
        server.connect(tls=certificates.client_context(), server_name="c.test")
    assert ask(server, "a.test", context=certificates.client_context())[0].status == 200


def test_T03_another_sites_host_is_421_unless_the_certificate_covers_it(webship, certificates):
    both = certificates.make("both", "x.test", "y.test")
    config = sites(certificates, "a.test")
    for name in ("x.test", "y.test"):
        config["sites"].append({"host": name, "respond": {"body": name},
                                "tls": {"certificates": [both]}})
    server = webship(config)
    context = certificates.client_context()
    assert ask(server, "a.test", "x.test", context)[0].status == 421
    assert ask(server, "x.test", "y.test", context)[0].body == b"y.test"
    assert ask(server, "x.test", "a.test", context)[0].status == 421


def test_T03_a_site_with_client_certificates_is_not_reached_by_another_name(webship, certificates):
    config = sites(certificates, "open.test", "closed.test")
    both = certificates.make("open-closed", "open.test", "closed.test")
    for site in config["sites"]:
        site["tls"]["certificates"] = [both]
    config["sites"][1]["tls"]["client_auth"] = {"mode": "require", "ca": str(certificates.ca)}
    server = webship(config)
    plain = certificates.client_context()
    assert ask(server, "open.test", "closed.test", plain)[0].status == 421
    with pytest.raises((ssl.SSLError, ConnectionResetError, AssertionError)):
        ask(server, "closed.test", context=plain)
    with_certificate = certificates.client_context(certificates.make("me", client=True))
    assert ask(server, "closed.test", context=with_certificate)[0].body == b"closed.test"


def test_T04_resumption_does_not_get_past_client_certificates(webship, certificates):
    config = sites(certificates, "open.test", "closed.test")
    config["sites"][1]["tls"]["client_auth"] = {"mode": "require", "ca": str(certificates.ca)}
    server = webship(config)
    context = certificates.client_context()
    with server.connect(tls=context, server_name="open.test") as connection:
        connection.send(GET % b"open.test")
        connection.response()
        session = connection.socket.session
    assert session is not None
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as raw:
        with pytest.raises((ssl.SSLError, ConnectionResetError)):
            other = context.wrap_socket(raw, server_hostname="closed.test", session=session)
            other.sendall(GET % b"closed.test")
            while other.recv(4096):
                pass


def test_T05_sessions_resume_across_a_reload(webship, certificates):
    server = webship(sites(certificates, "a.test"))
    context = certificates.client_context()
    with server.connect(tls=context, server_name="a.test") as connection:
        connection.send(GET % b"a.test")
        connection.response()
        session = connection.socket.session
    server.reload()
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as raw:
        with context.wrap_socket(raw, server_hostname="a.test", session=session) as resumed:
            assert resumed.session_reused


def test_T06_no_common_protocol_is_an_alert(webship, certificates):
    server = webship(sites(certificates, "a.test"))
    context = certificates.client_context(alpn=("ftp",))
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        server.connect(tls=context, server_name="a.test")
    with server.connect(tls=certificates.client_context(), server_name="a.test") as connection:
        assert connection.socket.selected_alpn_protocol() == "http/1.1"


def test_T07_changed_certificates_are_taken_up_and_broken_ones_are_not(
        webship, certificates, tmp_path):
    files = {k: str(tmp_path / f"{k}.pem") for k in ("certificate", "key")}

    def put(name):
        made = certificates.make(name, "swap.test")
        for kind in files:
            shutil.copy(made[kind], files[kind] + ".new")
            os.replace(files[kind] + ".new", files[kind])

    put("swap-1")
    server = webship({
        "listeners": {"https": {"tls": {}}},
        "sites": [{"host": "swap.test", "respond": {"body": "x"},
                   "tls": {"certificates": [files]}}],
    })
    context = certificates.client_context()

    def serial():
        with server.connect(tls=context, server_name="swap.test") as connection:
            return connection.socket.getpeercert()["serialNumber"]

    first = serial()
    put("swap-2")
    server.reload()
    second = serial()
    assert second != first
    pathlib.Path(files["key"]).write_text(
        pathlib.Path(certificates.make("swap-1")["key"]).read_text())
    server.reload()
    assert "reload failed" in server.log_text() and files["key"] in server.log_text()
    assert serial() == second


def test_T08_origins_are_verified(webship, certificates, origin):
    one = origin(tls=certificates.server_context(certificates.make("origin", "127.0.0.1")))

    def status(**tls):
        server = webship({
            "upstreams": {"app": {"endpoints": [one.url], "tls": tls}},
            "sites": [{"host": "*", "proxy": "app"}],
        })
        return server.request(GET % b"a").status, server

    assert status()[0] == 502, "a CA that the system does not know"
    assert status(ca=str(certificates.ca))[0] == 200
    assert status(verify=False)[0] == 200
    code, server = status(ca=str(certificates.ca), server_name="other.test")
    assert code == 502, "another name"


def test_T08_a_certificate_of_ours_for_the_origin(webship, certificates, origin):
    context = certificates.server_context(certificates.make("origin", "127.0.0.1"))
    context.load_verify_locations(certificates.ca)
    context.verify_mode = ssl.CERT_REQUIRED
    one = origin(tls=context)
    ours = certificates.make("proxy", client=True)
    server = webship({
        "upstreams": {"app": {"endpoints": [one.url],
                              "tls": {"ca": str(certificates.ca), **ours}}},
        "sites": [{"host": "*", "proxy": "app"}],
    })
    assert server.request(GET % b"a").status == 200


def test_what_is_wrong_with_a_certificate_of_ours_is_said_once(webship, certificates, tmp_path):
    ours = certificates.make("proxy", client=True)
    key = tmp_path / "key.pem"
    key.write_text(pathlib.Path(ours["key"]).read_text())
    key.chmod(0o644)
    server = webship({
        "upstreams": {"app": {"endpoints": ["https://localhost:1"],
                              "tls": {"ca": str(certificates.ca), **ours, "key": str(key)}}},
        "sites": [{"host": "*", "proxy": "app"}],
    })
    server.reload()
    assert server.log_text().count(f"every user of this machine may read the key {key}") == 1


def test_sessions_towards_origins_resume_each_time(webship, certificates, origin):
    resumed = []

    def script(connection, _):
        connection.read_request()
        resumed.append(connection.socket.session_reused)
        connection.answer(b"ok", fields=[b"Connection: close"])

    one = origin(script, tls=certificates.server_context(certificates.make("origin", "127.0.0.1")))
    server = webship({"upstreams": {"app": {"endpoints": [one.url],
                                            "tls": {"ca": str(certificates.ca)}}},
                      "sites": [{"host": "*", "proxy": "app"}]})
    for _ in range(5):
        assert server.request(GET % b"a").status == 200
    assert resumed == [False, True, True, True, True]


def test_sessions_of_clients_resume_each_time(webship, certificates):
    """And each connection gives a ticket of its own, for one is used once (RFC 8446 C.4)."""
    server = webship(sites(certificates, "a.test"))
    context, session, resumed, tickets = certificates.client_context(), None, [], set()
    for _ in range(5):
        s = socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE)
        with context.wrap_socket(s, server_hostname="a.test", session=session) as secure:
            secure.sendall(GET % b"a.test")
            assert secure.recv(65536).startswith(b"HTTP/1.1 200 ")
            resumed.append(secure.session_reused)
            session = secure.session
            tickets.add(session.id)
    assert resumed == [False, True, True, True, True] and len(tickets) == 5


def test_T09_cleartext_on_a_tls_port_is_told_so(webship, certificates):
    server = webship(sites(certificates, "a.test"))
    answer = server.exchange(GET % b"a.test")
    assert answer.startswith(b"HTTP/1.1 400 ") and b"https" in answer.lower()
    wait_until(lambda: " 400 " in "".join(server.access_lines()), "its line in the access log")


def test_D05_a_handshake_has_a_time_limit(webship, certificates):
    config = sites(certificates, "a.test")
    config["limits"] = {"handshake_timeout": "300ms"}
    server = webship(config)
    with server.connect() as connection:
        connection.send(b"\x16\x03\x01")
        assert connection.closed()


def test_D05_one_byte_at_a_time(webship, certificates):
    server = webship(sites(certificates, "a.test"))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = certificates.client_context().wrap_bio(incoming, outgoing, server_hostname="a.test")
    with server.connect() as connection:
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                for byte in outgoing.read():
                    connection.send(bytes([byte]))
                assert connection.fill()
                incoming.write(connection.buffer)
                connection.buffer = b""
        client.write(GET % b"a.test")
        connection.send(outgoing.read())
        answer = b""
        while not answer.endswith(b"a.test"):
            assert connection.fill()
            incoming.write(connection.buffer)
            connection.buffer = b""
            try:
                answer += client.read(4096)
            except ssl.SSLWantReadError:
                pass


def test_N01_a_proxy_header_before_tls(webship, certificates):
    config = sites(certificates, "a.test")
    config["listeners"]["https"]["proxy_protocol"] = {"trusted": ["127.0.0.0/8"]}
    config["sites"][0]["respond"]["body"] = "{client.ip}"
    server = webship(config)
    with socket.create_connection(("127.0.0.1", server.port), timeout=DEADLINE) as raw:
        raw.sendall(b"PROXY TCP4 192.0.2.7 192.0.2.1 1234 443\r\n")
        with certificates.client_context().wrap_socket(raw, server_hostname="a.test") as tls:
            tls.sendall(GET % b"a.test")
            assert b"192.0.2.7" in tls.recv(4096)


@pytest.mark.parametrize("header, expected", [
    (b"PROXY TCP4 192.0.2.7 192.0.2.1 1234 80\r\n", b"192.0.2.7"),
    (b"PROXY TCP6 2001:db8::7 2001:db8::1 1234 80\r\n", b"2001:db8::7"),
    (b"PROXY UNKNOWN\r\n", b"127.0.0.1"),
    (b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x07\xc0\0\x02\x01\x04\xd2\0\x50",
     b"192.0.2.7"),
    (b"\r\n\r\n\0\r\nQUIT\n\x20\x00\0\0", b"127.0.0.1"),
    (b"", None), (b"PROXY TCP4 nonsense\r\n", None), (b"PROXY " + b"x" * 200, None),
    (b"\r\n\r\n\0\r\nQUIT\n\x31\x11\0\0", None),
])
def test_N01_N02_proxy_headers(webship, header, expected):
    server = webship({
        "listeners": {"http": {"proxy_protocol": {"trusted": ["127.0.0.1"], "timeout": "300ms"}}},
        "sites": [{"host": "*", "respond": {"body": "{client.ip}"}}],
    })
    with server.connect() as connection:
        connection.send(header + GET % b"a")
        if expected is None:
            assert connection.closed()
        else:
            assert connection.response().body == expected


def test_N01_a_late_proxy_header_closes(webship):
    server = webship({
        "listeners": {"http": {"proxy_protocol": {"trusted": ["127.0.0.1"], "timeout": "300ms"}}},
        "sites": [{"host": "*", "respond": {"body": "x"}}],
    })
    with server.connect() as connection:
        connection.send(b"PRO")
        assert connection.closed()


def test_N01_peers_that_arent_trusted_speak_plainly(webship):
    server = webship({
        "listeners": {"http": {"proxy_protocol": {"trusted": ["10.0.0.0/8"]}}},
        "sites": [{"host": "*", "respond": {"body": "{client.ip}"}}],
    })
    assert server.request(GET % b"a").body == b"127.0.0.1"
    spoofed = b"PROXY TCP4 192.0.2.7 192.0.2.1 1234 80\r\n" + GET % b"a"
    assert server.exchange(spoofed).startswith(b"HTTP/1.1 400 ")
