"""Palimpsest: a memory for agents on your own AWS account.

The floors, from the ground up: ``domain``, ``ports``, ``use_cases``, then ``api`` and ``adapters`` side by side,
and ``bootstrap``, which alone sees them all. Nothing is exported here: import from the module that defines a thing.
"""
