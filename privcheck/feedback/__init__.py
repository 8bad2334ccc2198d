"""The kinds of feedback: one class per kind says how a policy is played, what its runs show, and how it is guarded."""

from privcheck.feedback.base import FEEDBACKS, Feedback, Reading, Wrapping, kind, public_attribute

__all__ = ["FEEDBACKS", "Feedback", "Reading", "Wrapping", "kind", "public_attribute"]
