"""Recommends articles; what one visitor clicked stays private."""

from private_recommender.recommender import Recommender, clicks_of
from private_recommender.visits import logged_visits

__all__ = ["Recommender", "clicks_of", "logged_visits"]
