import { AdcpError } from '../../protocol/errors.ts'
import type { MediaBuy } from './media-buy.ts'

/**
 * Characters of the packages of a media buy as JSON. Every change and many reads take the whole buy, so packages that a buyer adds one request after
 * another may not make it ever larger; 200 packages of 10,000 characters each fit.
 */
const MAX_CHARACTERS = 2_000_000

/** What a change may always add: a pause, a budget or a date keeps the terms before it. */
const SMALL_CHANGE = 500

/**
 * Throws INVALID_REQUEST naming `field` when the packages of a media buy, with all that the buyer put into them, are too large together. A change
 * that adds little to a package of `before` is accepted whatever the size: an order can be paused and paid for.
 */
export function requireSize(buy: MediaBuy, field: 'packages' | 'new_packages', before?: MediaBuy): void {
  const characters = charactersOf(buy)
  if (characters <= MAX_CHARACTERS) return
  if (before && characters - charactersOf(before) <= SMALL_CHANGE * before.packages.length) return
  const message = `${field} would make the packages of this media buy ${characters} characters of JSON; at most ${MAX_CHARACTERS} are accepted`
  throw new AdcpError('INVALID_REQUEST', message, {
    field,
    suggestion: 'shorten the lists of the packages, or create another media buy',
  })
}

function charactersOf(buy: MediaBuy): number {
  return buy.packages.reduce((sum, pkg) => sum + JSON.stringify(pkg).length, 0)
}
