"""`python -m sdcdb` is `sdcdb`."""

from sdcdb.cli.main import main

main()
