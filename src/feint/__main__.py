"""`python -m feint` is the command line."""

from feint.cli import main

main()
