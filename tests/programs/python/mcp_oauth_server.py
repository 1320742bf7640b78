"""An MCP server of the stateless era that wants a token, and who gives tokens, on the standard library.

    mcp_oauth_server.py PORT [WORD…]

It says its port on stdout once it listens. A token is good for ``lasts=SECONDS`` (3600). Words: ``denies`` (the user does not agree),
``once`` (nothing can be renewed), ``floods`` (its description has no end), ``known=ID:SECRET`` (nobody can register, and that client alone is known),
``posts`` (which says its secret in the body, and not in a header), ``names=ADDRESS`` (says that it and who gives tokens are there),
``page=ADDRESS`` (has the user agree there), ``steps_up`` (its tool `facts` wants the scope ``write``, which is not granted unasked), ``knows_documents`` (a client may be
an address), ``streams`` (has the older transport only, of which no more is there than who is let in), ``older`` (names nobody who gives tokens, and describes that one at its root with a path). It is its own proxy, too: it takes requests for other hosts as for itself.
"""

import base64
import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

words = sys.argv[2:]
options = dict(word.split("=", 1) for word in words if "=" in word)
LASTS = float(options.get("lasts", 3600))
facts = {"calls": 0, "refreshes": 0, "registered": 0, "tokens": 0, "refused": 0, "scope": None}
lock = threading.Lock()
codes = {}
tokens = {}
granted = {}
renewals = set()


def fresh():
    with lock:
        facts["tokens"] += 1
        number = facts["tokens"]
        token = f"access-{number}-0123456789"
        tokens[token] = time.monotonic() + LASTS
        granted[token] = facts["scope"] or ""
        renewal = f"refresh-{number}-0123456789"
        renewals.add(renewal)
    found = {"access_token": token, "token_type": "Bearer", "expires_in": int(LASTS)}
    return found if "once" in words else {**found, "refresh_token": renewal}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    @property
    def here(self):
        return options.get("names", f"http://127.0.0.1:{self.server.server_port}")

    @property
    def token_of_request(self):
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def do_GET(self):
        address = urlsplit(self.path)
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        if address.path.startswith("/.well-known/oauth-protected-resource") and "older" in words:
            self.say(404)
        elif address.path == "/.well-known/oauth-authorization-server" and "older" in words:
            self.say(200, self.description())
        elif address.path.startswith("/.well-known/oauth-protected-resource"):
            if "floods" in words:
                self.flood()
            else:
                self.say(200, {"resource": f"{self.here}/mcp", "authorization_servers": [f"{self.here}/as"]})
        elif address.path == "/.well-known/oauth-authorization-server/as":
            self.say(200, self.description())
        elif address.path == "/mcp" and "streams" in words:
            if self.is_let_in():
                self.say(200)
        elif address.path == "/as/authorize":
            code = f"code-{len(codes)}"
            facts["scope"], facts["client"] = asked.get("scope"), asked.get("client_id")
            codes[code] = asked["code_challenge"]
            said = {"error": "access_denied"} if "denies" in words else {"code": code}
            self.say(302, Location=f"{asked['redirect_uri']}?{urlencode({**said, 'state': asked['state']})}")
        else:
            self.say(404)

    def description(self):
        at = f"{self.here}/as"
        described = {
            "issuer": at,
            "authorization_endpoint": options.get("page", f"{at}/authorize"),
            "token_endpoint": f"{at}/token",
            "registration_endpoint": f"{at}/register",
            **({} if "posts" in words else {"scopes_supported": ["everything"]}),
            "token_endpoint_auth_methods_supported": [
                "client_secret_post" if "posts" in words else "client_secret_basic"
            ],
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        }
        if "knows_documents" in words:
            described["client_id_metadata_document_supported"] = True
        if "known" in options:
            del described["registration_endpoint"]
        else:
            del described["token_endpoint_auth_methods_supported"]
        return described

    def is_known(self, asked):
        """Whether who wants a token is the one client that there is."""
        if "known" not in options:
            return True
        given = f"{asked.get('client_id')}:{asked.get('client_secret')}"
        if "posts" not in words:
            given = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        return given == options["known"]

    def flood(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" " * 65536)
        except OSError:
            self.close_connection = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        if path == "/as/register" and "known" not in options:
            facts["registered"] += 1
            self.say(201, {**json.loads(body), "client_id": "client-1"})
        elif path == "/as/token":
            self.token({name: values[0] for name, values in parse_qs(body.decode()).items()})
        elif "streams" in words:
            self.say(405)
        elif not self.is_let_in():
            pass
        elif "steps_up" in words and b'"facts"' in body and "write" not in granted[self.token_of_request]:
            facts["refused"] += 1
            challenge = (
                'Bearer error="insufficient_scope", scope="read write", error_description="more, please"'
            )
            self.say(403, {"error": "insufficient_scope"}, WWW_Authenticate=challenge)
        else:
            self.mcp(json.loads(body))

    def is_let_in(self):
        """Whether the request has a token; else it is answered."""
        if tokens.get(self.token_of_request, 0) >= time.monotonic():
            return True
        at = f"{self.here}/.well-known/oauth-protected-resource/mcp"
        named = "" if "older" in words else f' resource_metadata="{at}"'
        self.say(401, WWW_Authenticate=f"Bearer{named}")
        return False

    def token(self, asked):
        if asked["grant_type"] == "refresh_token":
            facts["refreshes"] += 1
            with lock:
                good = asked["refresh_token"] in renewals
                renewals.discard(asked["refresh_token"])
        else:
            digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
            good = codes.pop(asked["code"], None) == base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if good and self.is_known(asked):
            self.say(200, fresh())
        else:
            self.say(400, {"error": "invalid_grant"})

    def mcp(self, asked):
        complete = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        match asked["method"]:
            case "server/discover":
                result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **complete}
            case "tools/list":
                tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("facts", "revoke")]
                result = {"tools": tools, **complete}
            case "tools/call":
                facts["calls"] += 1
                if asked["params"]["name"] == "revoke":
                    tokens.clear()
                result = {"content": [{"type": "text", "text": json.dumps(facts)}], "resultType": "complete"}
            case _:
                self.say(
                    404, {"jsonrpc": "2.0", "id": asked.get("id"), "error": {"code": -32601, "message": "no"}}
                )
                return
        self.say(200, {"jsonrpc": "2.0", "id": asked["id"], "result": result})


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True


server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
print(server.server_port, flush=True)
server.serve_forever()
