import { AdcpError } from '../../protocol/errors.ts'

/** Comparisons, of some ten nanoseconds each, that one filter of a request may cost over all products. */
const MOST_COMPARISONS = 5_000_000

/** Counts comparisons of a filter. Throws INVALID_REQUEST when they are more than one call may ask for. */
export type FilterWork = (comparisons: number) => void

/**
 * Bounds what one filter costs whose entries are held against those of every product: no bound of the request alone limits that. `entries`: what there are
 * too many of, in words.
 */
export function filterWork(filter: string, entries: string): FilterWork {
  let left = MOST_COMPARISONS
  return (comparisons) => {
    left -= comparisons
    if (left >= 0) return
    const field = `filters.${filter}`
    const message = `${field}: its ${entries} and the products that are offered make more work than one call may ask for`
    throw new AdcpError('INVALID_REQUEST', message, { field, suggestion: `send fewer ${entries}` })
  }
}
