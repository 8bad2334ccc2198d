"""Options of audits and their kin: what is claimed, in which setting, with how much effort."""
