"""What workers must share with the driver for their results to be the same, and how they differ where they do not."""

import platform
import unicodedata
from typing import NamedTuple

from lexbeam.transforms.common.code.code_identity import CodeIdentity
from lexbeam.transforms.common.code.fingerprints import blas_kernels


class Makings(NamedTuple):
    """What the artefacts of a stage depend on besides tasks and options.

    Attributes:
        code: digest of the definitions that the stage reaches.
        packages: those that they import, with versions.
        python: version of Python, to the second number.
        unicode: version of Unicode's tables.
        blas: kernels of BLAS; empty for a stage that multiplies no matrices.
    """

    code: str
    packages: tuple[tuple[str, str], ...]
    python: str
    unicode: str
    blas: tuple[str, ...]


def makings_of(code: CodeIdentity, *, blas: bool) -> Makings:
    """Return what this process has, for a stage of this code that multiplies matrices or does not."""
    python = ".".join(platform.python_version_tuple()[:2])
    kernels = blas_kernels() if blas else ()
    return Makings(code.code, code.packages, python, unicodedata.unidata_version, kernels)


def differences(driver: Makings, worker: Makings) -> list[str]:
    """Return what a worker has otherwise than the driver, each difference with its remedy; none if they agree."""
    found = []
    if driver.python != worker.python or driver.unicode != worker.unicode:
        found.append(
            f"Python is {worker.python} with Unicode {worker.unicode} here, and {driver.python} with Unicode "
            f"{driver.unicode} in the driver: install the same Python on both"
        )
    if driver.packages != worker.packages:
        here, there = dict(worker.packages), dict(driver.packages)
        others = [
            f"{name} is {here.get(name, 'missing')} here and {there.get(name, 'missing')} in the driver"
            for name in sorted(here.keys() | there.keys())
            if here.get(name) != there.get(name)
        ]
        found.append(f"{', '.join(others)}: install the same lock file on both")
    if driver.code != worker.code:
        found.append("its code is other than the driver's: install the same Lexbeam on both")
    if driver.blas != worker.blas:
        found.append(
            f"BLAS computes by {_listed(worker.blas)} here and by {_listed(driver.blas)} in the driver, and products "
            "have other last bits: run both on one kind of CPU, or set OPENBLAS_CORETYPE to one value for both"
        )
    return found


def _listed(kernels: tuple[str, ...]) -> str:
    return " and ".join(kernels) or "no kernel that is known"
