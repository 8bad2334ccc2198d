"""The running-mean bandit mended.

A reward that has been published is forgotten, so each is released once: certified.

    privcheck certify examples/forgetful_bandit.py:ForgetfulBandit --epsilon 1 --arms 2 --horizon 20
"""

from running_mean_released import RunningMeanReleased


class ForgetfulBandit(RunningMeanReleased):
    """Follow the noisy mean of the last block of each arm; epsilon-DP by adaptive parallel composition."""

    def publish(self):
        """Release the means of this block, and forget its rewards."""
        super().publish()
        self.sums = [0.0] * len(self.sums)
        self.pulls = [0] * len(self.pulls)
