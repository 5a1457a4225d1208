import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { DAY_MS, instantOf } from '../calendar/instant.ts'
import { bareMediaBuy, NO_PRODUCT } from '../media-buy/bare-media-buy.ts'
import { isTerminal, TRANSITIONS } from '../media-buy/lifecycle.ts'
import type { Assignment, MediaBuy } from '../media-buy/media-buy.ts'
import { bringTo } from '../media-buy/seller-decisions.ts'
import { budgetToMicros } from '../money.ts'
import type { MediaBuyStatus } from '../product/media-buy-status.ts'
import { oneOf, type Params } from './params.ts'

/** What a fixture without a budget is worth, in units of its currency. */
const DEFAULT_BUDGET = 10_000

/** A fixture without dates runs for a month. */
const DEFAULT_DAYS = 30

const STATUSES = Object.keys(TRANSITIONS) as MediaBuyStatus[]

/** The status that a fixture asks for. Throws INVALID_REQUEST for one that does not exist. */
export function seededStatus(fixture: Params): MediaBuyStatus | undefined {
  return fixture.status === undefined ? undefined : oneOf(fixture.status, STATUSES, 'fixture.status')
}

/**
 * A media buy of what the controller seeds, which may be as little as an id and a status: dates, budget and packages that the
 * fixture leaves out are filled in so that they imply the status. A flight that is over fits the terminal statuses, which the buy then reached in
 * its own time; for any other status its end is moved ahead. Throws INVALID_REQUEST for dates and amounts that are none.
 */
export function seededMediaBuy(
  mediaBuyId: string,
  fixture: Params,
  { accountId, actor, now }: { accountId: string; actor: string; now: Date },
): MediaBuy {
  const currency = currencyOf(fixture)
  const status = seededStatus(fixture)
  const { starts, ends } = flightOf(fixture, status, now)
  const isOver = ends <= now.getTime()
  const decidedAt = isOver ? new Date(starts - 1) : now
  const packages = packagesOf(mediaBuyId, fixture, currency)
  const buy = bareMediaBuy({
    mediaBuyId,
    accountId,
    actor,
    brand: { domain: brandOf(fixture) },
    currency,
    budgetMicros: budgetMicros(fixture, currency),
    startsAt: new Date(starts).toISOString(),
    endsAt: new Date(ends).toISOString(),
    ...(packages.length > 0 && { packages }),
    now: decidedAt,
  })
  // A flight that is over is what makes a buy completed.
  if (status === undefined || (status === 'completed' && isOver)) return buy
  return bringTo(buy, status, { creatives: new Map(), actor, now: decidedAt }).buy
}

/** `start_time` and `end_time`, or `flight` with `start` and `end`; in milliseconds. */
function flightOf(fixture: Params, status: MediaBuyStatus | undefined, now: Date): { starts: number; ends: number } {
  const flight = isObject(fixture.flight) ? fixture.flight : {}
  const starts = dateIn(fixture, 'start_time', '') ?? dateIn(flight, 'start', 'flight.') ?? now.getTime()
  const ahead = Math.max(starts, now.getTime()) + DEFAULT_DAYS * DAY_MS
  const ends = dateIn(fixture, 'end_time', '') ?? dateIn(flight, 'end', 'flight.') ?? ahead
  if (ends <= starts)
    throw new AdcpError('INVALID_REQUEST', 'fixture.end_time must be after the start', { field: 'fixture.end_time' })
  const mustRun = status !== undefined && !isTerminal(status)
  return { starts, ends: mustRun && ends <= now.getTime() ? ahead : ends }
}

function currencyOf(fixture: Params): string {
  const nested = isObject(fixture.budget) ? fixture.budget.currency : undefined
  const currency = fixture.currency ?? nested
  return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'USD'
}

/** `budget` as a number, as `{total}` or as `{amount}`, or `total_budget` likewise. */
function budgetMicros(fixture: Params, currency: string): number {
  const stated = fixture.budget ?? fixture.total_budget
  const amount = isObject(stated) ? (stated.total ?? stated.amount) : stated
  return budgetToMicros(typeof amount === 'number' ? amount : DEFAULT_BUDGET, currency, 'fixture.budget')
}

function packagesOf(mediaBuyId: string, { packages }: Params, currency: string) {
  return (Array.isArray(packages) ? packages.filter(isObject) : []).map((pkg, index) => ({
    packageId: packageIdOf(pkg, mediaBuyId, index),
    productId: typeof pkg.product_id === 'string' ? pkg.product_id : NO_PRODUCT,
    budgetMicros: budgetMicros(pkg, currency),
    ...(isObject(pkg.context) && { context: pkg.context }),
  }))
}

/** Creatives that a fixture assigns, by package (`creative_assignments`: ids, or objects with `creative_id`). */
export function seededAssignments(mediaBuyId: string, { packages }: Params): ReadonlyMap<string, readonly Assignment[]> {
  const rows = Array.isArray(packages) ? packages.filter(isObject) : []
  return new Map(rows.map((pkg, index) => [packageIdOf(pkg, mediaBuyId, index), assignmentsOf(pkg.creative_assignments)]))
}

function assignmentsOf(value: unknown): Assignment[] {
  return (Array.isArray(value) ? value : []).flatMap((entry: unknown): Assignment[] => {
    const creativeId = isObject(entry) ? entry.creative_id : entry
    return typeof creativeId === 'string' ? [{ creativeId }] : []
  })
}

function packageIdOf({ package_id: id }: Params, mediaBuyId: string, index: number): string {
  return typeof id === 'string' ? id : `${mediaBuyId}-${index + 1}`
}

function dateIn(fields: Params, name: string, path: string): number | undefined {
  const value = fields[name]
  return typeof value === 'string' ? instantOf(value, `fixture.${path}${name}`) : undefined
}

function brandOf({ brand }: Params): string {
  return isObject(brand) && typeof brand.domain === 'string' ? brand.domain : 'sandbox.example'
}
