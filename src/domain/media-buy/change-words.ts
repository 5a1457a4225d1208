import { microsToAmount } from '../money.ts'
import { sameValue } from '../same-value.ts'
import { capWords } from './daily-cap.ts'
import type { MediaBuy, Package } from './media-buy.ts'
import { PAUSED } from './paused-ahead.ts'
import type { Update } from './update.ts'

/** The most sentences of one change. */
const MOST_NAMED = 20
/** The most characters of a targeting that a sentence repeats. */
const MOST_TARGETING = 300

/** What a change made of an order, a sentence each. */
export function changeWords(before: MediaBuy, { buy: after, assignments, additions }: Omit<Update, 'affected'>): string[] {
  if (after.revision === before.revision) return ['Nothing changed: the order is as it was asked for already.']
  const old = new Map(before.packages.map((pkg) => [pkg.packageId, pkg]))
  const words = [
    ...orderWords(before, after),
    ...after.packages.flatMap((pkg) => {
      const was = old.get(pkg.packageId)
      const said = was ? packageWords(was, pkg, after.currency) : [`added, ${budgetOf(pkg)} ${after.currency}`]
      const hasCreatives = was && (assignments.has(pkg.packageId) || additions.has(pkg.packageId))
      const told = hasCreatives ? [...said, 'creatives are set'] : said
      return told.length > 0 ? [`Package ${pkg.packageId}: ${told.join('; ')}.`] : []
    }),
  ]
  const more = words.length - MOST_NAMED
  return more > 0 ? [...words.slice(0, MOST_NAMED), `${more} more packages changed.`] : words
}

function orderWords(before: MediaBuy, after: MediaBuy): string[] {
  if (after.cancellation && !before.cancellation) return ['Canceled.']
  return [
    ...(after.paused === before.paused ? [] : [after.paused ? PAUSED : 'Resumed.']),
    ...(after.name === before.name || after.name === undefined ? [] : [`Named "${after.name}".`]),
    ...capped(before.dailyCapMicros, after.dailyCapMicros, after.currency).map((words) => `The media buy has ${words}.`),
    ...(sameValue(after.bidding, before.bidding)
      ? []
      : [after.bidding ? `Bidding is ${JSON.stringify(after.bidding)}.` : 'Bidding of the media buy is taken away.']),
    ...(after.startsAt === before.startsAt && after.endsAt === before.endsAt
      ? []
      : [`The flight is ${after.startsAt} to ${after.endsAt}; it was ${before.startsAt} to ${before.endsAt}.`]),
  ]
}

function packageWords(before: Package, after: Package, currency: string): string[] {
  if (after.cancellation) return before.cancellation ? [] : ['canceled']
  const [was, is] = [before.terms, after.terms]
  const targeting = JSON.stringify(after.targetingOverlay ?? {})
  const differs = (member: (pkg: Package) => unknown) => JSON.stringify(member(after)) !== JSON.stringify(member(before))
  return [
    ...(after.paused === before.paused ? [] : [after.paused ? 'paused' : 'resumed']),
    ...(is.budgetMicros === was.budgetMicros ? [] : [`budget ${budgetOf(after)} ${currency}, was ${budgetOf(before)}`]),
    ...capped(was.dailyCap?.ownMicros, is.dailyCap?.ownMicros, currency),
    ...(is.bidMicros === was.bidMicros || is.bidMicros === undefined ? [] : [`bid ${microsToAmount(is.bidMicros)} ${currency}`]),
    ...(is.startsAt === was.startsAt && is.endsAt === was.endsAt ? [] : [`${is.startsAt} to ${is.endsAt}`]),
    ...(is.pacing === was.pacing ? [] : [`pacing ${is.pacing}, was ${was.pacing}`]),
    ...(is.impressions === was.impressions ? [] : [`goal ${is.impressions ?? 'none'}`]),
    ...(differs((pkg) => pkg.targetingOverlay ?? {})
      ? [targeting.length > MOST_TARGETING ? 'targeting replaced' : `targeting is ${targeting}`]
      : []),
    ...(differs((pkg) => pkg.optimizationGoals) ? ['goals are set'] : []),
    ...(differs((pkg) => pkg.catalogs) ? ['catalogs are set'] : []),
  ]
}

function capped(was: number | undefined, is: number | undefined, currency: string): string[] {
  const words = capWords(was, is, currency)
  return words === undefined ? [] : [words]
}

function budgetOf({ terms }: Package): number {
  return microsToAmount(terms.budgetMicros)
}
