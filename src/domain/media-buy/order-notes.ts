import { quoted } from '../../protocol/nearest-name.ts'
import { microsToAmount } from '../money.ts'
import type { WholeDays } from '../product/flight-id.ts'
import type { TakesTargeting } from '../product/overlay-support.ts'
import type { Product } from '../product/product.ts'
import { type Bidding, type Bids, bidOf } from './bid.ts'
import type { CreativeFacts, MediaBuy, Package } from './media-buy.ts'
import type { PackageRequest } from './order-request.ts'
import { flightPriceMicros, unitsFor } from './pricing.ts'

/** A package as a request asks for it; an update names only what it changes. */
type Asked = Bids & Partial<Pick<PackageRequest, 'targeting_overlay' | 'budget' | 'impressions'>>
/** How a task names the bid of a package that was not sent: `bidding` in the compact lifecycle of 3.2. */
type BidMember = 'bid_price' | 'bidding'
type Total = { readonly amount: number; readonly currency: string } | undefined

/** Sentences on what packages have otherwise than their buyer may think: a bid that the seller made, and places that the product does not reach. `packages` are those of `requests`, in their order; `field`: the list of the request that they are in, absent for those of a proposal; `shared`: the bidding of their media buy. */
export function packageNotes(
  requests: readonly Asked[] | undefined,
  packages: readonly (Package | undefined)[],
  products: ReadonlyMap<string, Product>,
  field: string | undefined,
  bid: BidMember = 'bid_price',
  shared?: Bidding,
): string[] {
  return (requests ?? []).flatMap((request, index) => {
    const pkg = packages[index]
    const path = field === undefined ? `package ${pkg?.packageId} (${pkg?.productId})` : `${field}[${index}]`
    return pkg
      ? [
          ...(shared && !request.bidding ? [] : bidNote(request, pkg, path, bid)),
          ...reachNote(request, pkg, products, path),
          ...(request.budget === undefined ? [] : flightPriceNote(pkg, path)),
          ...(request.impressions === undefined ? [] : goalNote(pkg, path)),
        ]
      : []
  })
}

function bidNote(asked: Asked, { pricing, terms }: Package, path: string, unsent: BidMember): string[] {
  const { bidMicros } = terms
  if (bidOf(asked) || bidMicros === undefined) return []
  const source = bidMicros === pricing.guideMicros ? 'the median of recent bids' : 'its floor'
  const { bidding } = asked
  const member = bidding === undefined ? unsent : 'bidding'
  const why = bidding === undefined ? 'was not sent' : bidding === null ? 'is taken away' : 'is automatic'
  return [`${path}.${member} ${why}: the bid is ${microsToAmount(bidMicros)} ${pricing.currency}, ${source}.`]
}

/** The sentence on a budget above the price of the flight, which is what is charged. */
function flightPriceNote({ pricing, terms }: Package, path: string): string[] {
  const price = flightPriceMicros(pricing, terms)
  if (price === undefined || price >= terms.budgetMicros) return []
  const money = (micros: number) => `${microsToAmount(micros)} ${pricing.currency}`
  return [
    `${path}.budget of ${money(terms.budgetMicros)} is a limit: the price of the flight is ${money(price)}, and no more is charged.`,
  ]
}

/** The sentence on a goal of impressions that the budget does not buy. */
function goalNote({ pricing, terms }: Package, path: string): string[] {
  const { impressions = 0, budgetMicros, rateMicros } = terms
  const bought = pricing.model === 'cpm' && pricing.basis === 'fixed' ? unitsFor('cpm', budgetMicros, rateMicros) : impressions
  if (rateMicros === 0 || bought >= impressions) return []
  const money = (micros: number) => `${microsToAmount(micros)} ${pricing.currency}`
  return [
    `${path}.impressions of ${impressions} are more than the budget buys: ${money(budgetMicros)} buy ${bought} at a CPM of ${money(rateMicros)}.`,
  ]
}

function reachNote(
  { targeting_overlay: overlay }: Asked,
  { productId }: Package,
  products: ReadonlyMap<string, Product>,
  path: string,
): string[] {
  const countries = products.get(productId)?.selling.coverage.countries
  const covered = new Set(countries)
  return (['geo_countries', 'geo_regions'] as const).flatMap((name) => {
    const isReached = (place: string) => covered.has(place.slice(0, 2))
    const wanted = countries ? (overlay?.[name] ?? []) : []
    const missed = wanted.filter((place) => !isReached(place))
    return missed.length === 0
      ? []
      : [
          `${path}.targeting_overlay.${name}: ${productId} does not reach ${listed(missed)}; it runs in ${listed(wanted.filter(isReached))} alone.`,
        ]
  })
}

/** Members of an overlay that limit no delivery. */
const NO_LIMIT = new Set(['context', 'ext'])
/** The most characters of a value that a sentence repeats. */
const MOST_VALUE = 120

/**
 * Sentences on targeting that an update took away: an overlay replaces the one before it as a whole (media-buy/package-update.json), and whoever sends a part means to add it. `before` and
 * `after` are the packages of `requests`, in their order.
 */
export function droppedNotes(
  requests: readonly Asked[],
  before: readonly (Package | undefined)[],
  after: readonly (Package | undefined)[],
): string[] {
  return requests.flatMap(({ targeting_overlay: sent }, index) => {
    const left: object = after[index]?.targetingOverlay ?? {}
    const lost = Object.entries(before[index]?.targetingOverlay ?? {}).filter(([name]) => !NO_LIMIT.has(name) && !(name in left))
    if (!sent || lost.length === 0) return []
    const named = lost.map(([name, value]) => {
      const text = JSON.stringify(value)
      return text.length > MOST_VALUE ? name : `${name} ${text}`
    })
    const path = `packages[${index}].targeting_overlay`
    return [
      `${path} replaced all targeting of the package: ${named.join(', ')} no longer hold${lost.length === 1 ? 's' : ''}; send it beside the rest to keep it.`,
    ]
  })
}

/** Places that a sentence names. */
const MOST_NAMED = 8

function listed(places: readonly string[]): string {
  const more = places.length - MOST_NAMED
  return more > 0 ? `${places.slice(0, MOST_NAMED).join(', ')} and ${more} more` : places.join(', ')
}

/** Sentences on creatives that came with an order and wait for a review, of the publisher or of their buyer: they serve once they are approved. */
export function reviewNotes(packages: readonly Package[], creatives: CreativeFacts): string[] {
  const waiting = packages.flatMap(({ packageId }) =>
    (creatives.get(packageId) ?? []).filter(({ approval }) => approval === 'pending_review'),
  )
  const idsOf = (ofBuyer: boolean) => [
    ...new Set(waiting.flatMap(({ creativeId, awaitsBuyer = false }) => (awaitsBuyer === ofBuyer ? quoted(creativeId) : []))),
  ]
  const [reviewed, made] = [idsOf(false), idsOf(true)]
  const s = (ids: readonly string[]) => (ids.length === 1 ? 's' : '')
  return [
    ...(reviewed.length === 0
      ? []
      : [`${listed(reviewed)} wait${s(reviewed)} for review and serve${s(reviewed)} once approved: list_creatives says when.`]),
    ...(made.length === 0
      ? []
      : [
          `${listed(made)} ${made.length === 1 ? 'was' : 'were'} made from your brief and wait${s(made)} for you: check the preview (preview_creative with {"request_type": "variant", "variant_id": ${made[0]}}), then sync_creatives with status "approved".`,
        ]),
  ]
}

/** The sentence on a `total_budget` above what the packages add up to, which is what is booked. */
export function totalNote(total: Total, packages: readonly Package[]): string[] {
  const booked = microsToAmount(packages.reduce((sum, { terms }) => sum + terms.budgetMicros, 0))
  return total && total.amount > booked
    ? [
        `total_budget of ${total.amount} ${total.currency} is a limit: the packages add up to ${booked} ${total.currency}, and that is booked.`,
      ]
    : []
}

/**
 * The sentence on an order that was bought by a proposal which lacks the cap that was asked for, with the packages that can have one; none where its packages were capped since. `takes`: what
 * the products and their ad servers keep.
 */
export function uncappedNote(
  packages: readonly Package[],
  products: ReadonlyMap<string, Product>,
  takes: TakesTargeting,
): string[] {
  const uncapped = packages.filter(({ targetingOverlay }) => targetingOverlay?.frequency_cap === undefined)
  if (uncapped.length === 0) return []
  const isTaken = ({ productId }: Package) => {
    const product = products.get(productId)
    return product !== undefined && takes(product, 'frequency_cap')
  }
  const able = uncapped.filter(isTaken)
  const unable = uncapped.filter((pkg) => !isTaken(pkg))
  if (able.length === 0) return ['Not part of the order: the frequency cap, which none of its packages without one can have.']
  const which = able.length === packages.length ? 'each package' : listed(able.map(({ packageId }) => quoted(packageId)))
  const without =
    unable.length > 0 ? `; products that take none: ${listed([...new Set(unable.map((pkg) => pkg.productId))])}` : ''
  return [
    `Not part of the order: the frequency cap. update_media_buy sets targeting_overlay.frequency_cap of ${which}${without}.`,
  ]
}

/** The sentence on targeting that asks wanted for a part of the proposal alone, in their words. */
export function partsNote(texts: readonly string[]): string[] {
  return texts.length === 0
    ? []
    : [
        `Not part of the order: ${listed(texts.map(quoted))}, asked for a part of its proposal. update_media_buy sets targeting_overlay of packages.`,
      ]
}

/**
 * The sentence on an order that runs on other days than the proposal which it buys: `start_time` and `end_time` decide (media-buy/create-media-buy-request.json), the days of a proposal are
 * recommended (core/product-allocation.json). The end is the last day of the proposal or the moment after it.
 */
export function otherDaysNote(
  planned: WholeDays | undefined,
  { startsAt, endsAt }: Pick<MediaBuy, 'startsAt' | 'endsAt'>,
): string[] {
  if (!planned) return []
  const lastMoment = new Date(Date.parse(endsAt) - 1).toISOString()
  const isSame = startsAt.slice(0, 10) === planned.first && [endsAt, lastMoment].some((at) => at.slice(0, 10) === planned.last)
  if (isSame) return []
  return [
    `The proposal is for ${planned.first} to ${planned.last}; the order runs from ${startsAt} to ${endsAt}, as start_time and end_time say.`,
  ]
}

/** An answer with sentences for its reader (`ext.notes`). */
export function withNotes<T extends { ext?: object }>(answer: T, notes: readonly string[]): T {
  return notes.length === 0 ? answer : { ...answer, ext: { ...answer.ext, notes } }
}

/** The sentences in `ext.notes` of an answer. */
export function notesIn(ext: unknown): string[] {
  const notes: unknown = typeof ext === 'object' && ext !== null ? Reflect.get(ext, 'notes') : undefined
  return Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : []
}
