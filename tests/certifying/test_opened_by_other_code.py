"""A branch is not closed beforehand if other code can open it: policies that leak in round 30, explored for 16.

Each has its branch closed by an attribute, a constant, `isinstance` or `hasattr`, and opens it by something that names
neither. Twins in which nothing opens it are granted: nothing here is refused for the way in which it is written.
"""

from __future__ import annotations

import textwrap

import pytest

from privcheck import certify

LEAKS = {'another class': {'module': 'DEBUG = False',
                   'members': 'loud = False',
                   'update': 'if self.round == 30: self.__class__ = Loud\nif self.loud: print(float(reward))',
                   'after': 'class Loud(Policy):\n    loud = True'},
 'the globals of a function': {'module': "DEBUG = False\n\ndef late():\n    late.__globals__['DEBUG'] = True",
                               'update': 'if self.round == 30: late()\nif DEBUG: print(float(reward))'},
 'an imported setattr': {'module': 'from builtins import setattr as put\n'
                                   'from sys import modules\n'
                                   'DEBUG = False',
                         'update': "if self.round == 30: put(modules[__name__], 'DEBUG', True)\n"
                                   'if DEBUG: print(float(reward))'},
 'the globals of a frame': {'module': 'import inspect\nDEBUG = False',
                            'update': "if self.round == 30: inspect.currentframe().f_globals['DEBUG'] = True\n"
                                      'if DEBUG: print(float(reward))'},
 'mock': {'module': 'from unittest import mock\nDEBUG = False',
          'update': "if self.round == 30: mock.patch(__name__ + '.DEBUG', True).start()\n"
                    'if DEBUG: print(float(reward))'},
 'setattr under another name': {'module': 'put = setattr',
                                'members': 'loud = False',
                                'update': "if self.round == 30: put(self, 'loud', True)\n"
                                          'if self.loud: print(float(reward))'},
 'the constructor of another class': {'module': 'class Other:\n'
                                                '    def __init__(self, p):\n'
                                                '        p.loud = True',
                                      'members': 'loud = False',
                                      'update': 'if self.round == 30: Other(self)\n'
                                                'if self.loud: print(float(reward))'},
 'a property before the attribute': {'members': '@property\ndef loud(self):\n    return self.round == 30',
                                     'init': "vars(self)['loud'] = False",
                                     'update': 'if self.loud: print(float(reward))'},
 'lambda parameter': {'update': 'f = lambda reward: float(reward[0]) if isinstance(reward, list) else reward\n'
                                'value = f((reward, [reward])[self.round == 30])'},
 'inner def': {'update': 'def f(reward):\n'
                         '    if isinstance(reward, list):\n'
                         '        return float(reward[0])\n'
                         '    return reward\n'
                         'value = f((reward, [reward])[self.round == 30])'},
 'own isinstance': {'module': 'LATE = []\ndef isinstance(x, kind):\n    return len(LATE) > 0',
                    'update': 'if self.round == 30: LATE.append(1)\n'
                              'value = float(reward) if isinstance(reward, list) else reward'},
 'local isinstance': {'update': 'isinstance = lambda x, k: self.round == 30\n'
                                'value = float(reward) if isinstance(reward, list) else reward'},
 'local hasattr': {'update': 'hasattr = lambda x, k: self.round == 30\n'
                             "value = float(reward) if hasattr(reward, 'decoded') else reward"},
 'global type': {'module': 'KIND = list\ndef late():\n    global KIND\n    KIND = object',
                 'update': 'if self.round == 30: late()\n'
                           'value = float(reward) if isinstance(reward, KIND) else reward'},
 'local type': {'update': 'list = (tuple, object)[self.round == 30]\n'
                          'value = float(reward) if isinstance(reward, list) else reward'},
 'attribute type': {'module': 'class Cfg:\n    kind = list',
                    'update': 'if self.round == 30: Cfg.kind = object\n'
                              'value = float(reward) if isinstance(reward, Cfg.kind) else reward'},
 'metaclass': {'module': 'LATE = []\n'
                         'class Meta(type):\n'
                         '    def __instancecheck__(cls, x):\n'
                         '        return len(LATE) > 0\n'
                         'class K(metaclass=Meta):\n'
                         '    pass',
               'update': 'if self.round == 30: LATE.append(1)\n'
                         'value = float(reward) if isinstance(reward, K) else reward'},
 'a helper as the key of a sort': {'module': 'def number(value):\n'
                                             '    if isinstance(value, (list, tuple)):\n'
                                             '        return float(value[0])\n'
                                             '    return value',
                                   'update': 'data = [(reward, [reward])[self.round == 30]]\n'
                                             'min(data, key=number)\n'
                                             'value = number(reward)'},
 'helper as staticmethod': {'module': 'def number(value):\n'
                                      '    if isinstance(value, (list, tuple)):\n'
                                      '        return float(value[0])\n'
                                      '    return value',
                            'members': 'number = staticmethod(number)',
                            'update': 'value = number(reward)\n'
                                      'self.number((reward, [reward])[self.round == 30])'},
 'helper nested table': {'module': 'def number(value):\n'
                                   '    if isinstance(value, (list, tuple)):\n'
                                   '        return float(value[0])\n'
                                   '    return value\n'
                                   '\n'
                                   'TABLE = ((number,),)',
                         'update': 'value = number(reward)\nTABLE[0][0]((reward, [reward])[self.round == 30])'},
 'helper namespace': {'module': 'def number(value):\n'
                                '    if isinstance(value, (list, tuple)):\n'
                                '        return float(value[0])\n'
                                '    return value\n'
                                '\n'
                                'import types\n'
                                'BOX = types.SimpleNamespace(f=number)',
                      'update': 'value = number(reward)\nBOX.f((reward, [reward])[self.round == 30])'},
 'helper default dict': {'module': 'def number(value):\n'
                                   '    if isinstance(value, (list, tuple)):\n'
                                   '        return float(value[0])\n'
                                   '    return value\n'
                                   '\n'
                                   'import functools\n'
                                   'BOX = {1: functools.partial(number)}',
                         'update': 'value = number(reward)\nBOX[1]((reward, [reward])[self.round == 30])'},
 'lambda makes action private': {'update': 'f = lambda action: action * 1.0\n'
                                           'f(reward)\n'
                                           'if isinstance(action, (int, np.integer)) and self.round == 30: '
                                           'print(float(reward))'},
 'super().update': {'update': 'value = float(reward[0]) if isinstance(reward, list) else reward',
                    'after': 'class Sub(Policy):\n'
                             '    def update(self, action, reward):\n'
                             '        super().update(action, (reward, [reward])[self.round == 30])'},
 'Base.update': {'update': 'value = float(reward[0]) if isinstance(reward, list) else reward',
                 'after': 'class Sub(Policy):\n'
                          '    def update(self, action, reward):\n'
                          '        Policy.update(self, action, (reward, [reward])[self.round == 30])'},
 'alias update': {'module': 'DATA = [1.0]',
                  'init': 'self.again = self.update',
                  'update': 'value = print(float(self.prev)) if isinstance(reward, list) else reward\n'
                            'self.prev = reward\n'
                            'if self.round == 30: self.again(action, DATA)'},
 'an error that carries a release': {'update': 'try:\n'
                                               '    if self.round == 30: raise '
                                               'KeyError(Laplace(sensitivity=1.0, epsilon=1.0).release(reward, '
                                               'self.rng))\n'
                                               'except KeyError as e:\n'
                                               '    print(e)'},
 'an assertion about a reward': {'update': 'try:\n'
                                           '    if self.round == 30: assert reward > 0.5\n'
                                           'except AssertionError as e:\n'
                                           '    print(e)'},
 'getattribute': {'members': 'loud = False\n'
                             'def __getattribute__(self, name):\n'
                             "    return (object.__getattribute__(self, 'round') == 30 if name == 'loud' else "
                             'object.__getattribute__(self, name))',
                  'update': 'if self.loud: print(float(reward))'},
 'mock on self': {'module': 'from unittest import mock',
                  'members': 'loud = False',
                  'update': "if self.round == 30: mock.patch.object(self, 'loud', True).start()\n"
                            'if self.loud: print(float(reward))'},
 'a method that a thread calls': {'module': 'import threading',
                                  'members': 'def leaking(self, reward):\n'
                                             '    if self.round == 30: print(float(reward))',
                                  'update': 't = threading.Thread(target=self.leaking, args=(reward,)); '
                                            't.start() ; t.join()'},
 'pickle setstate': {'init': 'self.loud = False',
                     'update': "if self.round == 30: self.__getstate__()['loud'] = True\n"
                               'if self.loud: print(float(reward))'},
 'class alias of update': {'update': 'value = print(float(self.kept)) if isinstance(reward, list) else reward\n'
                                     'self.kept = reward\n'
                                     'if self.round == 30: Again.again(self, action, [1.0])',
                           'after': 'class Again(Policy):\n    again = Policy.update'},
 'inner function in constructor': {'init': 'self.loud = False\ndef late(): self.loud = True\nself.late = late',
                                   'update': 'if self.round == 30: self.late()\n'
                                             'if self.loud: print(float(reward))'},
 'own __setattr__': {'members': 'loud = False\n'
                                'def __setattr__(self, name, value):\n'
                                '    object.__setattr__(self, name, value)\n'
                                "    if name == 'round' and value == 30: object.__setattr__(self, 'lo' + 'ud', "
                                'True)',
                     'update': 'self.other = 1\nif self.loud: print(float(reward))'},
 'hasattr set on class': {'module': 'from privcheck.private_values._private import Private as P',
                          'update': 'if self.round == 30: P.decoded = True\n'
                                    "if hasattr(reward, 'decoded'): print(float(reward))"},
 'a comparison before an error': {'update': 'try:\n'
                                            '    if self.round == 30:\n'
                                            '        x = reward > 0.5\n'
                                            '        raise KeyError(x)\n'
                                            'except KeyError as e:\n'
                                            '    pass'},
 'repr': {'module': 'class T:\n'
                    '    def __init__(self, r, x): self.r, self.x = r, x\n'
                    '    def __repr__(self):\n'
                    '        if self.r == 30: print(float(self.x))\n'
                    "        return ''",
          'update': 'repr(T(self.round, reward))'},
 '__del__ module': {'module': 'class T:\n'
                              '    def __init__(self, r, x): self.r, self.x = r, x\n'
                              '    def __del__(self):\n'
                              '        if self.r == 30: print(float(self.x))',
                    'update': 'T(self.round, reward)'},
 '__copy__': {'module': 'import copy\n'
                        'class T:\n'
                        '    def __init__(self, r, x): self.r, self.x = r, x\n'
                        '    def __copy__(self):\n'
                        '        if self.r == 30: print(float(self.x))\n'
                        '        return self',
              'update': 'copy.copy(T(self.round, reward))'}}  # fmt: skip

NUMBER = "def number(value):\n    if isinstance(value, (list, np.ndarray)):\n        return value[0]\n    return value"
TWINS = {
    "an attribute that the constructor sets by name": {
        "init": "setattr(self, 'loud', False)", "update": "if self.loud: print(float(reward))",
    },
    "a constant beside vars of self": {
        "module": "DEBUG = False", "members": "def shown_as(self):\n    return vars(self)",
        "update": "if DEBUG: print(float(reward))",
    },
    "update passed on": {
        "update": "value = float(reward[0]) if isinstance(reward, list) else reward",
        "after": "class Sub(Policy):\n    def update(self, action, reward):\n        super().update(action, reward)",
    },
    "a helper in another expression": {"module": NUMBER, "update": "value = 2.0 * number(reward) - number(reward)"},
    "an own class": {"module": "class Box: ...", "update": "value = reward.it if isinstance(reward, Box) else reward"},
    "the type of an imported module": {
        "module": "import decimal",
        "update": "value = float(reward) if isinstance(reward, decimal.Decimal) else reward",
    },
}  # fmt: skip


def certificate(folder, module="", members="pass", init="pass", update="", after=""):
    body = [
        "self.round += 1", "value = reward * 1.0", update, "self.sums[action] += value", "if self.round % 4 == 0:",
        "    for arm in range(2):", "        noise = Laplace(sensitivity=1.0, epsilon=1.0)",
        "        self.shown[arm] = noise.release(self.sums[arm], self.rng)", "        self.sums[arm] = 0.0",
    ]  # fmt: skip
    methods = [
        members, "def __init__(self, rng):",
        "    self.rng, self.round, self.sums, self.shown = rng, 0, [0.0, 0.0], [0.0, 0.0]",
        textwrap.indent(init, " " * 4),
        "def select(self):", "    return self.round % 2",
        "def update(self, action, reward):", textwrap.indent("\n".join(body), " " * 4),
    ]  # fmt: skip
    imports = "import numpy as np\nfrom privcheck.mechanisms import Laplace"
    text = "\n".join([imports, module, "class Policy:", textwrap.indent("\n".join(methods), " " * 4), after])
    (folder / "policy.py").write_text(text)
    name = "Sub" if "class Sub" in after else "Policy"
    return certify(f"{folder / 'policy.py'}:{name}", epsilon=1.0, arms=2, horizon=16, runs=2)


@pytest.mark.parametrize("name", LEAKS)
def test_a_branch_that_other_code_opens_has_to_run(name, tmp_path):
    found = certificate(tmp_path, **LEAKS[name])
    assert not found.granted
    assert found.unreached != []


@pytest.mark.parametrize("name", TWINS)
def test_a_branch_that_nothing_opens_need_not_run(name, tmp_path):
    found = certificate(tmp_path, **TWINS[name])
    assert (found.unreached, found.granted) == ([], True)
