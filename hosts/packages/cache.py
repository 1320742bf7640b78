"""The cache on disk: entries that are there whole, or not at all.

    ROOT/v1/CACHEDIR.TAG          keeps backups, and ourselves, from taking it for anybody's files
    ROOT/v1/KIND/KEY/tree         what was made
    ROOT/v1/KIND/KEY/record.json  what it is, for people; its time tells the last use
    ROOT/v1/KIND/KEY/in-use       locked, shared, by whoever runs from it
    ROOT/v1/making/KEY-…          what is being made, or was when its maker died
    ROOT/v1/locks/…               one maker a key at a time
    ROOT/v1/notes/…               what refs and modules stood for last
    ROOT/v1/scratch/…             folders for a moment

An entry is made under ``making`` and comes to its place by one rename, so that neither a kill nor a full disk can leave
half of one there. A key says all that the entry depends on: what has been made once is never changed. What a dead
maker left is cleared away by the next one who makes anything.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import JsonValueError
from ...base.files.private_files import make_private_folder, who_may_change
from ...base.foreign import Log
from ...base.frozen import frozen
from ...base.json import dump_json, load_json
from .file_tree import CACHE_TAG
from .lock import Hold, if_nobody, only_one
from .package_errors import PackageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Json = dict[str, Any]

logger: Log = Log("callboard.packages")

_warned_of: dict[Path, object] = {}
"""The roots that could not be written: each is logged once a process, since each plugin has a `PackageCache` of its own."""

KINDS = ("checkouts", "packages", "modules", "tools", "environments")
"""Git check-outs; packages installed and built; TypeScript made JavaScript; programs that do such things; Pythons."""

_VERSION = "v1"
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# What is in here can be made again.\n"
_LOCKS = 4096


@frozen
class Entry:
    """Something in the cache, which stays there while this object lives.

    Attributes:
        tree: the folder that was made.
        record: what its maker said of it.
        hold: keeps it from being cleaned.
    """

    tree: Path
    record: Json
    hold: Hold


def key_of(*facts: str) -> str:
    """A word for all that an entry depends on."""
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:40]


class PackageCache:
    """The cache below a folder, which need not exist. Any number of processes may use it at once.

    Attributes:
        root: the folder, as the configuration says it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._home = root / _VERSION
        self._making = self._home / "making"
        self._scratch = self._home / "scratch"

    def place(self, kind: str, key: str) -> Path:
        """Where an entry is, or would be: its maker works elsewhere."""
        return self._home / kind / key

    def find(self, kind: str, key: str) -> Entry | None:
        """An entry that is there, or ``None``; says in the cache that it was used.

        Raises:
            PackageError: others may have changed it.
        """
        place = self.place(kind, key)
        self._require_ours(place.parent, place, place / "tree")
        try:
            hold = Hold(place / "in-use")
            record = load_json((place / "record.json").read_bytes())
        except (OSError, JsonValueError):  # none, or one that somebody has damaged: it is made again
            return None
        if not isinstance(record, dict) or not (place / "tree").is_dir():
            return None
        _note_use(place / "record.json")
        return Entry(place / "tree", record, hold)

    def make(
        self, kind: str, key: str, work: Callable[[Path], Json], accept: Callable[[Entry], bool] | None = None
    ) -> Entry:
        """The entry, made if it is not there. However many ask at once, it is made once.

        Args:
            kind: one of `KINDS`.
            key: all that it depends on; see `key_of`.
            work: fills an empty folder, and says what it is.
            accept: whether an entry that is there can be used; it is made again if not.

        Raises:
            PackageError: the cache cannot be written, or as ``work`` raises.
        """
        with self._writing(), only_one(self._lock("making", key)):
            found = self.find(kind, key)
            if found is not None and (accept is None or accept(found)):
                return found
            del found
            self._clear_what_the_dead_left(ours=key)
            made = Path(tempfile.mkdtemp(prefix=f"{key}-", dir=self._making))
            try:
                (made / "tree").mkdir(mode=0o700)
                record = work(made / "tree")
                (made / "in-use").touch()
                # Before the rename: an entry is there with all that belongs to it, or is not there.
                (made / "record.json").write_bytes(dump_json(record))
                place = self.place(kind, key)
                make_private_folder(place.parent)
                self._take_away(place)  # rename(2) replaces no folder that is not empty
                made.rename(place)
            except BaseException:  # an interrupt too may leave nothing half made
                remove(made)
                raise
            found = self.find(kind, key)
            assert found is not None, "it was just made, and nobody cleans what is locked"
            return found

    @contextmanager
    def scratch(self, name: str) -> Iterator[Path]:
        """An empty folder that is gone at the end; by one name, one at a time. Entries may be made meanwhile.

        Raises:
            PackageError: the cache cannot be written.
        """
        with ExitStack() as ending:
            with self._writing():
                ending.enter_context(only_one(self._lock("scratch", name)))
                make_private_folder(self._scratch)
                folder = self._scratch / name
                remove(folder)  # of one who died
                folder.mkdir(mode=0o700)
            ending.callback(remove, folder)
            yield folder

    def entries(self) -> Iterator[tuple[str, str, Path]]:
        """All entries: kind, key and place. Raises `PackageError`: others may have changed them."""
        self._require_ours()
        for kind in KINDS:
            for place in sorted(_listed(self._home / kind)):
                yield kind, place.name, place

    def clean(self, key: str, place: Path) -> bool:
        """Remove an entry, unless it is in use or being made; whether it was removed.

        Raises:
            PackageError: the cache cannot be written.
        """
        with self._writing(), if_nobody(self._lock("making", key)) as ours:
            if not ours:
                return False
            if os.name == "nt":
                return self.clean_closed(place)
            with _claim(place) as unused:
                if unused:
                    self._take_away(place)
            return unused

    def clean_closed(self, place: Path) -> bool:
        """As `clean`, where nothing can be moved while anything in it is open, be it by ourselves.

        Whoever begins to use the entry in between has it open, which keeps it in its place.
        """
        with _claim(place) as unused:
            pass
        if unused:
            try:
                self._take_away(place)
            except PermissionError:
                return False
        return unused

    def in_use(self, key: str, place: Path) -> bool:
        """Whether somebody runs from an entry, or makes it.

        Raises:
            PackageError: the cache cannot be written.
        """
        # Under the key's lock: whoever finds the entry taken for this moment waits, and looks again.
        with self._writing(), if_nobody(self._lock("making", key)) as ours:
            if not ours:
                return True
            with _claim(place) as unused:
                return not unused

    def clean_rest(self) -> None:
        """Remove all that is no entry: what makers left that are dead, notes, what Node has compiled.

        Raises:
            PackageError: the cache cannot be written.
        """
        with self._writing():
            self._clear_what_the_dead_left()
            for left in _listed(self._scratch):
                with if_nobody(self._lock("scratch", left.name)) as nobody:
                    if nobody:
                        remove(left)
            remove(self._home / "notes")
            remove(self._home / "compiled")

    @property
    def compiled(self) -> Path | None:
        """A folder for what Node compiles and runs again; ``None``, said once, if it cannot be made.

        Node is never given a folder that is not there: it tries without end to make one below, say, ``/proc``.

        Raises:
            PackageError: others may have changed it.
        """
        folder = self._home / "compiled"
        self._require_ours(folder)
        return folder if self._made(folder) else None

    @property
    def can_be_written(self) -> bool:
        """Whether entries can be made; said once if not. Raises `PackageError`: others may have changed it."""
        self._require_ours()
        return self._made(self._making)

    def _made(self, folder: Path) -> bool:
        try:
            make_private_folder(folder)
        except OSError as error:
            mine = object()
            if _warned_of.setdefault(self.root, mine) is mine:
                logger.warning(
                    "the plugin cache %s cannot be written (%s), and nothing is kept; name another with 'plugin_cache_dir'",
                    self.root,
                    error.strerror or error,
                )
            return False
        return True

    def note(self, name: str) -> Json:
        """A small object that was kept by that name; empty if none was. Raises `PackageError`: others may have changed it."""
        self._require_ours(self._note(name).parent)
        try:
            value = load_json(self._note(name).read_bytes())
        except (OSError, JsonValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def keep_note(self, name: str, change: Callable[[Json], Json]) -> None:
        """Change a small object that is kept by a name. Raises `PackageError`: the cache cannot be written."""
        with self._writing(), only_one(self._lock("notes", name)):
            file = self._note(name)
            make_private_folder(file.parent)
            fresh = file.with_suffix(".new")
            fresh.write_bytes(dump_json(change(self.note(name))))
            fresh.replace(file)

    def _note(self, name: str) -> Path:
        return self._home / "notes" / f"{name}.json"

    def _lock(self, space: str, key: str) -> Path:
        """The file that is locked for a key.

        There are so few that none has to be removed, which cannot be done safely, and so many that two keys hardly ever share
        one, and wait for each other. Who holds one of a space asks for none of the same space, so that nobody waits for himself.
        """
        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:2]) % _LOCKS
        return self._home / "locks" / f"{space}-{number:03x}"

    def _require_ours(self, *folders: Path) -> None:
        """Nothing is run, and nothing believed, that another user may have put there."""
        for folder in (self.root, self._home, *folders):
            who = who_may_change(folder)
            if who is not None:
                raise PackageError(
                    f"{folder} in the plugin cache {who}, and code is run from it; see who changed it, remove it, or name another "
                    "with 'plugin_cache_dir'",
                    plugin=str(self.root),
                )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._require_ours()
        try:
            for folder in (self._making, self._home / "locks"):
                make_private_folder(folder)
            tag = self._home / CACHE_TAG
            if not tag.exists():
                tag.write_text(_TAG)
            yield
        except OSError as error:
            raise PackageError(
                f"the plugin cache {self.root} cannot be written ({error.strerror or error}); make room or make it "
                "writable, or name another with 'plugin_cache_dir'",
                plugin=str(self.root),
            ) from error

    def _clear_what_the_dead_left(self, ours: str | None = None) -> int:
        """Remove what nobody is making any more; with what has the lock of the key ``ours``, which we hold."""
        removed = 0
        for left in _listed(self._making):
            lock = self._lock("making", left.name.partition("-")[0])
            if ours is not None and lock == self._lock("making", ours):
                remove(left)
                removed += 1
                continue
            with if_nobody(lock) as nobody:
                if nobody:
                    remove(left)
                    removed += 1
        return removed

    def _take_away(self, place: Path) -> None:
        """Remove an entry: first, at one stroke, from where it is looked for."""
        if place.exists():
            away = Path(tempfile.mkdtemp(prefix=f"{place.name}-", dir=self._making))
            place.rename(away / "away")
            remove(away)


@contextmanager
def _claim(place: Path) -> Iterator[bool]:
    """Whether nobody uses an entry, nor can begin to until the end of the block."""
    if (place / "in-use").exists():
        with if_nobody(place / "in-use") as unused:
            yield unused
    else:
        yield True


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def _note_use(file: Path) -> None:
    try:
        os.utime(file)
    except OSError:  # a cache that can only be read serves as well
        return


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, also what its maker has made read-only.

    Raises:
        OSError: it cannot be removed.
    """
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    for _ in range(_TRIES):
        try:
            shutil.rmtree(path)
        except FileNotFoundError:  # somebody else clears away too
            if not path.exists():
                return
        except PermissionError:
            _make_writable(path)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:  # its maker is just dying, and wrote once more
                raise
        else:
            return
    shutil.rmtree(path)


_TRIES = 5


def _make_writable(folder: Path) -> None:
    folder.chmod(0o700)
    with os.scandir(folder) as found:
        for item in found:
            if not item.is_dir(follow_symlinks=False):
                continue
            _make_writable(Path(item.path))
