/** Tables of an import have some 30 columns. */
export const MAX_COLUMNS = 256
/** The largest sheet that is imported has 50,000 rows, below its headings. */
export const MAX_ROWS = 50_001
/** A cell takes some 100 bytes in three forms at once. */
export const MAX_CELLS = 1_000_000
