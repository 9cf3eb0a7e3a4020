/* resample_loops.h: the loops of resample.h, which includes this once for each pair of types. It defines
 * add_drawn_narrow, add_counted_narrow, add_subsets_narrow and add_tossed_narrow; add_drawn_wide, add_counted_wide,
 * add_subsets_wide and add_tossed_wide. */

/* Add up the drawn rows of one sample. */
static void NAMED(add_drawn)(const ROW *rows, size_t columns, const int64_t *indices, size_t count,
                             SUM *FB_RESTRICT sums)
{
    /* A sample usually has as many rows as the table. */
    const int is_large = count * columns * sizeof(ROW) > FB_CACHED;
    size_t i = 0;
    memset(sums, 0, columns * sizeof(SUM));
    for (; i + 8 <= count; i += 8) {
        /* Eight rows at a time: the sums are loaded and stored once for all of them. */
        const ROW *a = rows + (size_t)indices[i] * columns;
        const ROW *b = rows + (size_t)indices[i + 1] * columns;
        const ROW *c = rows + (size_t)indices[i + 2] * columns;
        const ROW *d = rows + (size_t)indices[i + 3] * columns;
        const ROW *e = rows + (size_t)indices[i + 4] * columns;
        const ROW *f = rows + (size_t)indices[i + 5] * columns;
        const ROW *g = rows + (size_t)indices[i + 6] * columns;
        const ROW *h = rows + (size_t)indices[i + 7] * columns;
        for (size_t next = i + 16; is_large && next < i + 24 && next < count; next++) {
            const char *start = (const char *)(rows + (size_t)indices[next] * columns);
            for (size_t byte = 0; byte < columns * sizeof(ROW); byte += 64) FB_PREFETCH(start + byte);
        }
        for (size_t j = 0; j < columns; j++) {
            sums[j] += (ROW)(((a[j] + b[j]) + (c[j] + d[j])) + ((e[j] + f[j]) + (g[j] + h[j])));
        }
    }
    for (; i < count; i++) {
        const ROW *row = rows + (size_t)indices[i] * columns;
        for (size_t j = 0; j < columns; j++) sums[j] += row[j];
    }
}

/* Add to the sums of each of `samples` every row as often as it was drawn; `times` is samples x segments.
 * `turned` is memory for FB_TURNED rows. */
static void NAMED(add_counted)(const ROW *rows, size_t segments, size_t columns, const uint8_t *times,
                               size_t samples, ROW *FB_RESTRICT turned, int64_t *FB_RESTRICT sums)
{
    for (size_t first = 0; first < segments; first += FB_TURNED) {
        const size_t count = segments - first < FB_TURNED ? segments - first : FB_TURNED;
        for (size_t j = 0; j < columns; j++) {
            for (size_t row = 0; row < count; row++)
                turned[j * FB_TURNED + row] = rows[(first + row) * columns + j];
        }
        for (size_t sample = 0; sample < samples; sample++) {
            const uint8_t *drawn = times + sample * segments + first;
            FACTOR factors[FB_TURNED];
            for (size_t row = 0; row < count; row++) factors[row] = drawn[row];
            for (size_t j = 0; j < columns; j++) {
                const FACTOR *column = (const FACTOR *)turned + j * FB_TURNED;
                SUM sum = 0;
                for (size_t row = 0; row < count; row++) sum += (SUM)factors[row] * (SUM)column[row];
                sums[sample * columns + j] += sum;
            }
        }
    }
}

/* The sums of all 16 subsets of up to four rows. */
static void NAMED(add_subsets)(const ROW *rows, size_t count, size_t columns, ROW *subsets)
{
    memset(subsets, 0, columns * sizeof(ROW));
    for (size_t row = 0; row < 4; row++) {
        for (size_t subset = 0; subset < (size_t)1 << row; subset++) {
            const ROW *without = subsets + subset * columns;
            ROW *with = subsets + (subset + ((size_t)1 << row)) * columns;
            if (row < count) {
                for (size_t j = 0; j < columns; j++) with[j] = (ROW)(without[j] + rows[row * columns + j]);
            } else {
                memcpy(with, without, columns * sizeof(ROW));
            }
        }
    }
}

/* Add up, for each trial, the rows whose bit is set. */
static void NAMED(add_tossed)(const ROW *rows, size_t segments, size_t columns, const uint32_t *words,
                              size_t first_bit, size_t trials, ROW *FB_RESTRICT subsets,
                              SUM *FB_RESTRICT sums)
{
    const size_t table = 16 * columns;
    memset(sums, 0, trials * columns * sizeof(SUM));
    for (size_t first = 0; first < segments; first += 32) {
        const size_t left = segments - first < 32 ? segments - first : 32;
        const uint32_t mask = left < 32 ? ((uint32_t)1 << left) - 1 : 0xFFFFFFFFu;
        for (size_t row = 0; row < 32; row += 4) {
            const size_t start = row < left ? row : left;
            NAMED(add_subsets)(rows + (first + start) * columns, left - start, columns,
                               subsets + row / 4 * table);
        }
        for (size_t trial = 0; trial < trials; trial++) {
            const uint32_t bits = bits_at(words, first_bit + trial * segments + first) & mask;
            const ROW *a = subsets + (bits & 15) * columns;
            const ROW *b = subsets + table + (bits >> 4 & 15) * columns;
            const ROW *c = subsets + 2 * table + (bits >> 8 & 15) * columns;
            const ROW *d = subsets + 3 * table + (bits >> 12 & 15) * columns;
            const ROW *e = subsets + 4 * table + (bits >> 16 & 15) * columns;
            const ROW *f = subsets + 5 * table + (bits >> 20 & 15) * columns;
            const ROW *g = subsets + 6 * table + (bits >> 24 & 15) * columns;
            const ROW *h = subsets + 7 * table + (bits >> 28) * columns;
            SUM *to = sums + trial * columns;
            for (size_t j = 0; j < columns; j++) {
                to[j] += (ROW)(((a[j] + b[j]) + (c[j] + d[j])) + ((e[j] + f[j]) + (g[j] + h[j])));
            }
        }
    }
}
