/** The longest text of a file that a request holds: a product file of some 10,000 products. */
export const MOST_FILE_CHARACTERS = 4_000_000

/** The largest JSON body, with such a text in it. */
export const MOST_JSON_BYTES = 4 * 1024 * 1024

/** The largest form with a file as it lies on the disk: a workbook, a picture or a short video. */
export const MOST_FORM_BYTES = 16 * 1024 * 1024

/** The largest form without a file. */
export const MOST_FIELDS_BYTES = 64 * 1024

/** What a direct order holds, as `schemas/direct-order.json` has it: lines, and creatives of a line. */
export const MOST_IN_ORDER = { lines: 100, creatives: 50 } as const

/** What a form of one page takes of it: a page with more is not to be overlooked. */
export const MOST_IN_FORM = { lines: 20, creatives: 10 } as const

/** Prices of one product that the form of a product takes: most products have one or two. */
export const MOST_PRICES = 6
