"""Lower bounds at a horizon on an instance and on those in which one arm is raised, for any policy. Derived here.

>>> from privcheck.bounds import THEOREMS
>>> THEOREMS["finite-time/pure"].asymptotic
False
"""

from privcheck.bounds.finite_time import raised_arm as raised_arm
