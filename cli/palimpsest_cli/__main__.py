"""``python -m palimpsest_cli``."""

from palimpsest_cli.commands import cli

if __name__ == "__main__":
    cli(prog_name="palimpsest")
