/** Tables of an import have some 30 columns. */
export const MAX_COLUMNS = 256
/** The largest sheet that is imported has 50,000 rows, below its headings. */
export const MAX_ROWS = 50_001
/** Longest row, in characters: a product with a long description in several languages has some thousand. */
export const MAX_ROW_CHARACTERS = 200_000
/** A cell takes some 100 bytes in three forms at once. */
export const MAX_CELLS = 1_000_000
