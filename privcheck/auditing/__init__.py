"""The auditor: search for neighbouring inputs and events that distinguish them, counted on separate runs."""
