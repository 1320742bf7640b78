"""What is asked of a folder that is to be shown to a sandbox: no link in it leads out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hosts.packages.file_tree import refuse_links_out

if TYPE_CHECKING:
    from pathlib import Path

    from ..config.plugin_options import Options


def require_no_links_out(options: Options, folder: Path, source: str | None = None) -> None:
    """Look for links, if the plugin runs in a sandbox: Node follows them, and in the system's they lead to nothing.

    Args:
        options: of the plugin.
        folder: what it is shown.
        source: what its user knows it by, if that is not the folder.

    Raises:
        PackageError: one leads out of the folder.
    """
    if options.sandbox is not None or options.confinement.sandbox is not None:
        refuse_links_out(folder, source or str(folder))
