"""The trust gate: `make trust` runs these tests, `make test` does not; see SECURITY.md."""
