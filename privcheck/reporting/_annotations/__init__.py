"""Findings at lines of code, for code hosts: GitHub annotations and SARIF."""
