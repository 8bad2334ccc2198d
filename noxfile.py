"""The gate on other Pythons and other versions of the dependencies: `pipx run nox` runs what this machine can.

`nox --list` lists the sessions; `nox --session lowest -- tests/mechanisms` passes what follows `--` to pytest.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import nox

PYTHONS = ("3.11", "3.12", "3.13")
TESTS = ("dev", "oracles", "adapters")

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ("newest", "lowest", "plain", "lint", "docs")


def wheel(session: nox.Session) -> str:
    """Build the wheel and return its path."""
    folder = session.create_tmp()
    session.install("build")
    session.run("python", "-m", "build", "--wheel", "--outdir", folder, silent=True)
    return str(max(Path(folder).glob("*.whl"), key=lambda file: file.stat().st_mtime))


def run_tests(session: nox.Session, *default: str) -> None:
    """Run pytest against the installed wheel."""
    environment = {"PRIVCHECK_WHEEL": "1"}
    session.run("python", "-P", "-m", "pytest", "-q", *(session.posargs or default), env=environment)


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The whole suite with the newest dependencies."""
    session.install(f"{wheel(session)}[{','.join(TESTS)}]")
    run_tests(session, "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "--durations=20")


@nox.session(python="3.11", venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """The whole suite with the lowest dependencies that pyproject.toml allows."""
    session.install("--resolution", "lowest-direct", f"{wheel(session)}[{','.join(TESTS)}]")
    run_tests(session, "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "--durations=20")


@nox.session(python=PYTHONS)
def plain(session: nox.Session) -> None:
    """A plain installation, without extras, does the main jobs and says what is missing for the others."""
    session.install(wheel(session))
    session.run("privcheck", "audit", "rnm-ftnl-published", "--epsilon", "1", "--arms", "4", "--horizon", "4",
                "--runs", "20000", success_codes=[1])  # fmt: skip
    session.run("privcheck", "bounds", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e5")
    session.run("privcheck", "simulate", "ucb", "--means", "0.75,0.5", "--horizon", "1000", "--runs", "10")
    session.run("privcheck", "audit", "ucb", "--arms", "2", "--html", "page.html", success_codes=[2])
    session.run("privcheck", "claims", "--list", success_codes=[2])


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Run ruff and mypy strict."""
    session.install(f"{wheel(session)}[{','.join(TESTS)}]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("mypy", "audits", "--explicit-package-bases")


@nox.session(python="3.11")
def docs(session: nox.Session) -> None:
    """Build the site; a warning is an error."""
    session.install(f"{wheel(session)}[docs]")
    session.run("python", "-P", "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-E", "docs", "out/site")


@nox.session(python="3.11")
def materials(session: nox.Session) -> None:
    """Write the bill of materials of a plain installation (CycloneDX) and the hash of the wheel into dist/."""
    built = Path(wheel(session))
    target = Path("dist")
    target.mkdir(exist_ok=True)
    (target / built.name).write_bytes(built.read_bytes())
    digest = hashlib.sha256(built.read_bytes()).hexdigest()
    (target / f"{built.name}.sha256").write_text(f"{digest}  {built.name}\n")
    session.run("python", "-m", "venv", "--clear", f"{session.create_tmp()}/plain", silent=True)
    interpreter = f"{session.create_tmp()}/plain/bin/python"
    session.run(interpreter, "-m", "pip", "install", "-q", str(built), external=True)
    session.install("cyclonedx-bom>=7")
    session.run(
        "cyclonedx-py", "environment", interpreter, "--of", "JSON", "-o", str(target / f"{built.stem}.cdx.json")
    )
