"""What the broken twins have in common."""


class Broken:
    """Keeps rewards for `length` rounds, publishes, and plays the arm that what is published suggests."""

    length = 3

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.total, self.n, self.arm, self.published = 0.0, 0, 0, []

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.n += 1
        self.keep(action, reward)
        if self.n % self.length == 0:
            self.published.append(float(self.publish()))
            self.arm = int(self.published[-1] < 1.5)
            self.forget()

    def keep(self, action, reward):
        self.total += reward

    def publish(self):
        return self.total + self.rng.laplace(0, 1 / self.epsilon)

    def forget(self):
        self.total = 0.0
