"""The trust gate: `make trust` runs these tests, `make test` does not. SECURITY.md has the parts."""
