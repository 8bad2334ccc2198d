"""A target's own functions, translated while they run under the guard, so that ordinary code keeps rewards private."""
