"""`make test-trust` runs these tests, `make test` does not; see SECURITY.md."""
