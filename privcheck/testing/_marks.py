"""The marks of tests: checked when the tests are collected, applied to the target that a test returns."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from privcheck.errors import PrivcheckError, words
from privcheck.targets import CertifySettings, Options, Settings
from privcheck.testing._assertion import PrivacyFailure, refuse_primitives, unknown_option
from privcheck.testing._project import project
from privcheck.testing.plugin import MARKS

CLAIMS = ("epsilon", "rho", "mu", "tradeoff")


def wrong_mark(mark: pytest.Mark, config: pytest.Config) -> str:
    """Return what is wrong with a mark, in one line that names it; an empty string if nothing is."""
    settings: type[Options] = Settings if mark.name == "privacy" else CertifySettings
    try:
        given = _arguments(mark, [declared.name for declared in settings.options()])
        refuse_primitives(given.get("primitives"))
        of_project = project(config)
        if not any(given.get(name) is not None for name in CLAIMS) and "epsilon" not in of_project:
            hint = f"as in @pytest.mark.{mark.name}(epsilon=1.0, arms=2), or give epsilon in [tool.privcheck]"
            raise TypeError(f"missing a required argument: 'epsilon'; {hint}")
        if not any(given.get(name) is not None for name in CLAIMS):
            given["epsilon"] = of_project["epsilon"]
        settings.of(**{name: value for name, value in given.items() if value is not None})
    except (TypeError, PrivcheckError) as error:
        return f"pytest.mark.{mark.name}: {error}"
    return ""


def _arguments(mark: pytest.Mark, names: list[str]) -> dict[str, Any]:
    if len(mark.args) > 1:
        raise TypeError(f"got {len(mark.args)} arguments without a name, expected at most one, epsilon")
    if mark.args and "epsilon" in mark.kwargs:
        raise TypeError("got epsilon twice; give it once")
    for name in mark.kwargs:
        if name not in names:
            raise unknown_option(name, names)
    return {"epsilon": mark.args[0]} | dict(mark.kwargs) if mark.args else dict(mark.kwargs)


def asserting(test: Callable[..., Any], marks: list[pytest.Mark]) -> Callable[..., None]:
    """Return a test that applies the assertions of its marks to what the given one returns."""
    import privcheck.testing

    @functools.wraps(test)
    def asserted(**arguments: Any) -> None:
        target, expected = test(**arguments), "a factory, an id or a place"
        if target is None:
            hint = "the test returns nothing: did you forget `return`?"
            pytest.fail(f"{PrivcheckError('target', None, expected, hint)}", pytrace=False)
        if inspect.iscoroutine(target):
            target.close()
            got, hint = words("what an async test returns"), "write def in place of async def"
            pytest.fail(f"{PrivcheckError('target', got, expected, hint)}", pytrace=False)
        for mark in marks:
            assertion = getattr(privcheck.testing, MARKS[mark.name][0])
            try:
                assertion(target, *mark.args, **mark.kwargs)
                wrong = ""
            except (PrivacyFailure, PrivcheckError) as error:
                wrong = str(error)
            if wrong:
                pytest.fail(wrong, pytrace=False)

    return asserted
