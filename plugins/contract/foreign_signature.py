"""`read_signature`: the signature of a callable that is not ours. How such a callable is called is decided in `signatures`.

Python 3.14 evaluates an annotation when it is read, where older versions did so when the function was defined. There
`inspect.signature` raises ``NameError`` for an annotation that names what is imported for type checkers only.
"""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_AS_TEXTS: dict[str, Any] = {}
_AS_VALUES: dict[str, Any] = {}
if sys.version_info >= (3, 14):
    from annotationlib import Format

    _AS_TEXTS["annotation_format"] = Format.STRING
    _AS_VALUES["annotation_format"] = Format.FORWARDREF


def read_signature(
    method: Callable[..., Any], *, follow_wrapped: bool = True, hints: bool = False
) -> inspect.Signature:
    """Read the signature of a callable. What its annotations name may be undefined.

    Args:
        method: the callable.
        follow_wrapped: a decorator that used `functools.wraps` shows what it wraps.
        hints: the annotations matter, and are values as far as they can be evaluated. Otherwise Python 3.14 gives them as texts, and
            evaluates none.

    Raises:
        ValueError, TypeError: the callable hides its signature, or has none.
        BaseException: with ``hints``, whatever an annotation raises.
    """
    return inspect.signature(method, follow_wrapped=follow_wrapped, **(_AS_VALUES if hints else _AS_TEXTS))
