from ._watch import read_watches as read_watches
from ._watch import watch as watch
