"""Makes system calls by their numbers, and says of each what the kernel answered: the name of the error, or ``done``."""

import ctypes
import errno
import json
import platform
import sys

NUMBERS = {
    "x86_64": {
        "add_key": 248, "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
        "syslog": 103, "unshare": 272, "setns": 308, "mount": 165, "ioctl": 16, "socket": 41, "clone": 56, "getpid": 39,
    },
    "aarch64": {
        "add_key": 217, "request_key": 218, "keyctl": 219, "bpf": 280, "perf_event_open": 241, "userfaultfd": 282,
        "syslog": 116, "unshare": 97, "setns": 268, "mount": 40, "ioctl": 29, "socket": 198, "clone": 220, "getpid": 172,
    },
}  # fmt: skip
NEWER = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "fsopen": 430, "clone3": 435,
}  # fmt: skip
NUMBER = NUMBERS.get(platform.machine(), {}) | NEWER
SESSION, SEARCH, READ, JOIN = -3, 10, 11, 1
libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """The result, and the name of the error or ``done``."""
    number = NUMBER[name] if isinstance(name, str) else name
    ctypes.set_errno(0)
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = libc.syscall(ctypes.c_long(number), *wide)
    return result, "done" if result != -1 else errno.errorcode[ctypes.get_errno()]


def read_key(name):
    """A key of the session keyring, which was given by its name, or what the kernel answered instead."""
    number, answer = call("keyctl", SEARCH, SESSION, b"user", name.encode(), 0)
    if answer != "done":
        return answer
    data = ctypes.create_string_buffer(100)
    length, answer = call("keyctl", READ, number, data, len(data))
    return data.raw[:length].decode() if answer == "done" else answer


def write_key(name, value):
    """Add a key to the session keyring."""
    return call("add_key", b"user", name.encode(), value.encode(), len(value), SESSION)[1]


def try_all():
    """What each of the calls that a sandbox refuses is answered; their arguments do nothing where they are not refused."""
    calls = {
        "add_key": (0, 0, 0, 0, 0), "request_key": (0, 0, 0, 0), "keyctl": (0, SESSION, 0), "bpf": (-1, 0, 0),
        "perf_event_open": (0, 0, -1, -1, 0), "userfaultfd": (0,), "syslog": (10,), "unshare": (0,), "setns": (-1, 0),
        "mount": (0, 0, 0, 0, 0), "io_uring_setup": (1, ctypes.create_string_buffer(120)), "io_uring_enter": (-1, 0, 0, 0, 0, 0),
        "io_uring_register": (-1, 0, 0, 0), "open_tree": (-1, 0, 0), "fsopen": (0, 0), "clone3": (0, 0), "getpid": (),
    }  # fmt: skip
    answers = {name: call(name, *arguments)[1] for name, arguments in calls.items()}
    answers["TIOCSTI"] = call("ioctl", 0, 0x5412, b"x")[1]
    answers["TIOCSTI with high bits"] = call("ioctl", 0, 0x7_0000_5412, b"x")[1]
    answers["TIOCLINUX"] = call("ioctl", 0, 0x541C, b"\x0c")[1]
    answers["TCGETS"] = call("ioctl", 0, 0x5401, ctypes.create_string_buffer(100))[1]
    answers["clone of namespaces"] = call("clone", 0x1000_0000 | 0x0002_0000 | 0x0800_0000, 0, 0, 0, 0)[1]
    for family, number in {
        "unix": 1,
        "inet": 2,
        "inet6": 10,
        "netlink": 16,
        "packet": 17,
        "alg": 38,
        "vsock": 40,
    }.items():
        answers[f"socket {family}"] = call("socket", number, 2 if number != 16 else 3, 0)[1]
    if platform.machine() == "x86_64":
        answers["x32"] = call(0x4000_0000 + NUMBER["getpid"])[1]
    return answers


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["read", name]:
            print(read_key(name))
        case ["write", name, value]:
            print(write_key(name, value))
        case ["all"]:
            print(json.dumps(try_all()))
