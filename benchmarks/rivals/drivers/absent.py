"""Stand-ins for packages that a tool imports when it starts but does not need for what its driver calls."""

import importlib.abc
import importlib.machinery
import sys
import types


class _Anything(type):
    """A class of which every attribute is such a class, so that it may be subclassed, annotated with and called."""

    def __call__(cls, *arguments, **options):  # noqa: ARG002
        return cls

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})


class _Module(types.ModuleType):
    def __getattr__(self, name):
        return getattr(_Anything(self.__name__, (), {}), name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):  # noqa: ARG002
        if name.split(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Module(spec.name)

    def exec_module(self, module):
        pass


def stand_in_for(*names):
    """Let imports of these packages, which are not installed, succeed."""
    sys.meta_path.insert(0, _Finder(set(names)))
