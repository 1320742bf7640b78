"""Of what a server said before it ended, people are shown the line that says most."""

from __future__ import annotations

import pytest
from callboard.hosts.report.telling_line import MOST_CHARACTERS, telling_line
from hypothesis import given
from hypothesis import strategies as st

NODE = {
    "an error of the system that is logged, with its fields": (
        """Redis Client Error: Error: connect ECONNREFUSED 127.0.0.1:6399
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16) {
  errno: -111,
  code: 'ECONNREFUSED',
  syscall: 'connect',
  address: '127.0.0.1',
  port: 6399
}
    at async runServer (file:///srv/node_modules/server-redis/dist/index.js:240:9)
""",
        "Redis Client Error: Error: connect ECONNREFUSED 127.0.0.1:6399",
    ),
    "an error that begins its line": (
        """Error: connect ECONNREFUSED 127.0.0.1:6399
    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1607:16)
    at async runServer (file:///srv/dist/index.js:240:9)
""",
        "Error: connect ECONNREFUSED 127.0.0.1:6399",
    ),
    "several errors in one": (
        """Fatal error in main(): AggregateError [ECONNREFUSED]:
    at internalConnectMultiple (node:net:1134:18)
    at afterConnectMultiple (node:net:1715:7) {
  code: 'ECONNREFUSED',
  [errors]: [
    Error: connect ECONNREFUSED ::1:5432
        at createConnectionError (node:net:1678:14) {
      errno: -111,
      code: 'ECONNREFUSED'
    },
    Error: connect ECONNREFUSED 127.0.0.1:5432
        at createConnectionError (node:net:1678:14) {
      errno: -111
    }
  ]
}

Node.js v22.18.0
""",
        "Error: connect ECONNREFUSED 127.0.0.1:5432",
    ),
    "several errors in one, on one line": (
        "AggregateError\n  [errors]: [ Error: connect ECONNREFUSED ::1:1 {\n      errno: -111\n    } ]\n",
        "Error: connect ECONNREFUSED ::1:1",
    ),
    "an error that is thrown": (
        """/srv/index.js:3
throw new TypeError('x is not a function')
^

TypeError: x is not a function
    at Object.<anonymous> (/srv/index.js:3:7)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v22.18.0
""",
        "TypeError: x is not a function",
    ),
    "an error of the program after one that it survived": (
        "Error: ENOENT: no such file or directory, open '.env'\nTypeError: keys is undefined\n    at main (a.js:1:2)\n",
        "TypeError: keys is undefined",
    ),
    "a package that there is not": (
        """npm error code E404
npm error 404 Not Found - GET https://registry.example/nope - Not found
npm error 404
npm error 404  'nope@*' is not in this registry.
npm error A complete log of this run can be found in: /logs/2026-11-23T11_19_05_049Z-debug-0.log
""",
        "npm error 404 Not Found - GET https://registry.example/nope - Not found",
    ),
    "a plain sentence": ("Usage: server <folder>\n", "Usage: server <folder>"),
}

PYTHON = {
    "a traceback": (
        """Traceback (most recent call last):
  File "/srv/server.py", line 4, in <module>
    main()
  File "/srv/server.py", line 2, in main
    raise ValueError("no token")
ValueError: no token
""",
        "ValueError: no token",
    ),
    "one error because of another": (
        """Traceback (most recent call last):
  File "/srv/redis.py", line 4, in connect
    sock.connect(address)
ConnectionRefusedError: [Errno 111] Connection refused

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/server.py", line 9, in <module>
    client.ping()
    ~~~~~~~~~~~^^
redis.exceptions.ConnectionError: Error 111 connecting to 127.0.0.1:6399. Connection refused.
""",
        "redis.exceptions.ConnectionError: Error 111 connecting to 127.0.0.1:6399. Connection refused.",
    ),
    "a program of argparse": (
        "usage: server [-h] --token TOKEN\nserver: error: the following arguments are required: --token\n",
        "server: error: the following arguments are required: --token",
    ),
    "an error in colours": ("\x1b[1;35mKeyError\x1b[0m: \x1b[35m'TOKEN'\x1b[0m\n", "KeyError: 'TOKEN'"),
}

GO = {
    "a panic": (
        """panic: dial tcp 127.0.0.1:5432: connect: connection refused

goroutine 1 [running]:
main.main()
\t/app/main.go:12 +0x1d
exit status 2
""",
        "panic: dial tcp 127.0.0.1:5432: connect: connection refused",
    ),
    "a structured log": (
        'level=INFO msg="starting"\ntime=2026-11-27T12:00:01Z level=error msg="no token: set GITHUB_TOKEN"\nexit status 1\n',
        'time=2026-11-27T12:00:01Z level=error msg="no token: set GITHUB_TOKEN"',
    ),
    "log.Fatal": (
        "2026/11/27 12:00:00 cannot reach the cluster: dial tcp 10.0.0.1:443: i/o timeout\nexit status 1\n",
        "2026/11/27 12:00:00 cannot reach the cluster: dial tcp 10.0.0.1:443: i/o timeout",
    ),
}

RUST = {
    "an error of main": ('Error: NotFound("config.toml")\n', 'Error: NotFound("config.toml")'),
    "an error with its cause": (
        "Error: cannot connect to the database\n\nCaused by:\n    0: Connection refused (os error 111)\n",
        "Error: cannot connect to the database",
    ),
    "a panic": (
        """thread 'main' panicked at src/main.rs:4:5:
called `Result::unwrap()` on an `Err` value: ConnectionRefused
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
""",
        "thread 'main' panicked at src/main.rs:4:5: called `Result::unwrap()` on an `Err` value: ConnectionRefused",
    ),
}

NOTHING = {"no word": ("", ""), "frames alone": ("    at main (a.js:1:2)\n", "at main (a.js:1:2)")}

TAILS = [
    pytest.param(*case, id=f"{runtime}: {what}")
    for runtime, cases in {"Node": NODE, "Python": PYTHON, "Go": GO, "Rust": RUST, "all": NOTHING}.items()
    for what, case in cases.items()
]


@pytest.mark.parametrize(("stderr", "line"), TAILS)
def test_the_line_that_says_most_is_shown(stderr, line):
    assert telling_line(stderr) == line


@given(st.text())
def test_whatever_a_program_says_one_bounded_line_is_shown(stderr):
    shown = telling_line(stderr)

    assert len(shown) <= MOST_CHARACTERS
    assert "\n" not in shown
