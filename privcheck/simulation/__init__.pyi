from ._identify import identify as identify
from ._labels import with_labels as with_labels
from ._log_replay import ReplayResult as ReplayResult
from ._log_replay import replay as replay
from ._own_policies import is_own as is_own
from ._semi_bandits import VacuousBonusWarning as VacuousBonusWarning
from ._simulate import Policies as Policies
from ._simulate import simulate as simulate
