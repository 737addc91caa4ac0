"""What several suites share: people and tables, attackers, contracts, and the programs that tests start."""
