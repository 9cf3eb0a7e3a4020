"""The ``fastbleu`` command: options and checks, reading the inputs, all printing."""

from .command import main as main
