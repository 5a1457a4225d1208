/** Of this many characters a text is read whole by a person and costs an assistant about 400 tokens. */
export const SUMMARY_CHARS = 1_500

/** One returned object (a product, a media buy …): as a sentence, and as the line that is left where many have to fit. */
export interface SummaryRow {
  readonly full: string
  /** Id, state and money. */
  readonly brief: string
}

export interface SummaryParts {
  /** What was answered, in a line. */
  readonly head: string
  readonly rows: readonly SummaryRow[]
  /** What remains, and what to do next. */
  readonly after?: readonly (string | undefined)[]
}

/**
 * The text of an answer: head, every row, what to do next. Rows are written in full where all of it fits into
 * `SUMMARY_CHARS`, else as one short line each; no row is left out.
 */
export function summaryText({ head, rows, after = [] }: SummaryParts): string {
  const write = (lines: readonly string[]) =>
    [head, ...lines.map((line) => `- ${line}`), ...after.filter((line) => line !== undefined && line !== '')].join('\n')
  const full = write(rows.map((row) => row.full))
  return full.length <= SUMMARY_CHARS ? full : write(rows.map((row) => row.brief))
}

interface Pagination {
  readonly has_more: boolean
  readonly cursor?: string
  readonly total_count?: number
}

/** How many rows remain behind a page and how to get them; undefined when none does. */
export function remaining(pagination: Pagination | undefined): string | undefined {
  if (!pagination?.has_more || pagination.cursor === undefined) return undefined
  const of = pagination.total_count === undefined ? '' : ` (${pagination.total_count} in all)`
  return `More remain${of}: the same request with pagination.cursor "${pagination.cursor}".`
}

/** An amount with its currency, such as `24 USD`. */
export function money(amount: number | undefined, currency: string | undefined): string {
  return amount === undefined ? '' : `${amount}${currency === undefined ? '' : ` ${currency}`}`
}

/** The parts that are there, with a separator. */
export function joined(parts: readonly (string | number | false | undefined)[], separator = ', '): string {
  return parts.filter((part) => part !== undefined && part !== false && part !== '').join(separator)
}
