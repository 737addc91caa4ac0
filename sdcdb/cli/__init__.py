"""The `sdcdb` command line, one module per command."""
