from ._identify import identify as identify
from ._labels import as_list as as_list
from ._log_replay import ReplayResult as ReplayResult
from ._log_replay import replay as replay
from ._own_policies import is_own as is_own
from ._semi_bandits import VacuousBonusWarning as VacuousBonusWarning
from ._simulate import Policy as Policy
from ._simulate import simulate as simulate
