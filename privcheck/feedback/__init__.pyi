from ._arms import as_arm as as_arm
from ._arms import unknown_arm as unknown_arm
from ._base import FEEDBACKS as FEEDBACKS
from ._base import Feedback as Feedback
from ._base import Reading as Reading
from ._base import kind as kind
from ._base import public_attribute as public_attribute
from ._deferred_methods import check_at_once as check_at_once
