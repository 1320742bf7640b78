"""Map the rooms of the repository to the one import package, ``callboard``.

Everything else stands in ``setup.cfg``. The rooms lie side by side at the top of the
repository and install as one package: ``facade`` is ``callboard`` itself, every other
room a subpackage. Subpackages are found, never listed: one that is forgotten in a list
is left out of the wheel without an error.
"""

from tempfile import TemporaryDirectory

from setuptools import find_packages, setup

FACE = "facade"
ROOMS = ("actors", "agent", "base", "chaos", "hosts", "interop", "plugins", "supervision")

package_dir = {"callboard": FACE} | {f"callboard.{room}": room for room in ROOMS}
packages = ["callboard"]
packages += [f"callboard.{name}" for name in find_packages(FACE)]
for room in ROOMS:
    packages += [f"callboard.{room}"] + [f"callboard.{room}.{name}" for name in find_packages(room)]

# setuptools never empties build/: files that are gone from the tree would go into the next wheel.
with TemporaryDirectory(prefix="callboard-build-") as build:
    setup(
        packages=packages,
        package_dir=package_dir,
        options={"build": {"build_base": build}},
    )
