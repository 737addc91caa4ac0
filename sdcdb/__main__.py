"""`python -m sdcdb` is `sdcdb`."""

from sdcdb.entry import main

main()
