"""The running-mean bandit, fixed.

The bandit forgets its rewards once they have been published, so each is released only once: it is certified.

    privcheck certify examples/forgetful_bandit.py:ForgetfulBandit --epsilon 1 --arms 2 --horizon 20
"""

from running_mean_released import RunningMeanReleased


class ForgetfulBandit(RunningMeanReleased):
    """Play the arm with the largest noisy mean of its last block; epsilon-DP by adaptive parallel composition."""

    def publish(self):
        """Release the means of this block and forget its rewards."""
        super().publish()
        self.sums = [0.0] * len(self.sums)
        self.pulls = [0] * len(self.pulls)
