"""Never reads its stdin."""

import signal

signal.pause()
