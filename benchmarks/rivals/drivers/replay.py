"""Recorded outputs handed out one after the other, for tools that want to draw their own; no output is used twice."""


class Replay:
    def __init__(self, samples, sides=("first", "second")):
        self.outputs = {side: samples[side] for side in sides}
        self.taken = dict.fromkeys(sides, 0)

    def take(self, side, runs):
        """Return the next outputs of that stream, or fail if not enough are left."""
        start = self.taken[side]
        self.taken[side] = start + runs
        if self.taken[side] > len(self.outputs[side]):
            raise RuntimeError(f"more than {len(self.outputs[side])} runs asked for on one input")
        return self.outputs[side][start : start + runs]
