"""Each border where a board calls code that is not its own, as a scene: that code raises there, and what has to hold is asserted.

A border is a function of what is to be raised. It fails if a caller is not told, if the next call does not work, or if a
board is slow to stop because one of its threads has died.
"""

from __future__ import annotations

import borders_of_boards
import borders_of_hosts
import borders_of_plugins
import foreign_scene

MODULES = borders_of_boards, borders_of_plugins, borders_of_hosts

BORDERS = foreign_scene.BORDERS
"""By the words of the page that lists them, ``docs/design/foreign-code.md``."""
