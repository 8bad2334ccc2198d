"""Arguments that refute a claim without privcheck: closed forms, quadrature, enumeration, impossible outputs."""
