"""From checked input to rows of counts: packers, `count`, `Stats`, running totals."""
