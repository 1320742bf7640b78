"""Connects to an abstract socket of a name, and says ``CONNECTED`` or the name of the error."""

import errno
import socket
import sys

with socket.socket(socket.AF_UNIX) as connecting:
    try:
        connecting.connect(f"\0{sys.argv[1]}")
    except OSError as error:
        print(errno.errorcode[error.errno])
    else:
        print("CONNECTED")
