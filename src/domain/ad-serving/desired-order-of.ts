import { hash } from 'node:crypto'
import type { Creative } from '../creative/creative.ts'
import type { CreativeFacts, MediaBuy, Package } from '../media-buy/media-buy.ts'
import { flightPriceMicros } from '../media-buy/pricing.ts'
import { canonicalText } from '../same-value.ts'
import { modelThere } from './capabilities.ts'
import type { Association, DesiredCreative, DesiredLine, DesiredOrder, LineSettings, ServingState } from './desired-order.ts'

/** What a media buy is derived from: the store's view of it at one moment. */
export interface OrderFacts {
  readonly tenantId: string
  readonly buy: MediaBuy
  readonly facts: CreativeFacts
  /** Creatives of the account by id. */
  readonly creatives: ReadonlyMap<string, Creative>
  /** The packages that lie at the ad server in question. */
  readonly packages: readonly Package[]
}

/**
 * The order that an ad server should have for a media buy. A function of what is stored alone: the same state gives the same order. A canceled or
 * rejected buy is an ended order; a paused one keeps its lines as they are.
 */
export function desiredOrderOf({ tenantId, buy, facts, creatives, packages }: OrderFacts): DesiredOrder {
  const lines = packages.map((pkg) => desiredLine(pkg, facts))
  const shown = new Set(lines.flatMap(({ associations }) => associations.map(({ creativeExternalId }) => creativeExternalId)))
  return {
    key: { tenantId, externalId: buy.mediaBuyId },
    state: stateOf(buy),
    settings: { name: nameOf(buy), advertiserId: buy.accountId, currency: buy.currency, ...extentOf(lines) },
    lines,
    creatives: [...shown].sort().flatMap((id) => {
      const creative = creatives.get(id)
      return creative ? [desiredCreative(creative)] : []
    }),
  }
}

/** Budget and flight of an order: those of its lines together. */
function extentOf(lines: readonly DesiredLine[]) {
  const starts = lines.map(({ settings }) => settings.startsAt).sort()
  const ends = lines.map(({ settings }) => settings.endsAt).sort()
  const budgetMicros = lines.reduce((sum, { settings }) => sum + settings.budgetMicros, 0)
  return { budgetMicros, startsAt: starts[0] ?? '', endsAt: ends.at(-1) ?? '' }
}

/** Longest name of an order; ad servers allow 255 and more. */
const MOST_NAME = 200

function nameOf({ brand, mediaBuyId, poNumber }: MediaBuy): string {
  return [brand.domain, poNumber, mediaBuyId]
    .filter((part) => part !== undefined)
    .join(' / ')
    .slice(-MOST_NAME)
}

function stateOf({ paused, cancellation, rejection }: Pick<MediaBuy, 'paused' | 'cancellation' | 'rejection'>): ServingState {
  return cancellation || rejection ? 'ended' : paused ? 'paused' : 'active'
}

function desiredLine(pkg: Package, facts: CreativeFacts): DesiredLine {
  const serving = (facts.get(pkg.packageId) ?? []).filter(({ approval }) => approval === 'approved')
  return {
    externalId: pkg.packageId,
    state: pkg.cancellation ? 'ended' : pkg.paused ? 'paused' : 'active',
    settings: settingsOf(pkg),
    associations: serving
      .map(
        ({ creativeId, weight, placementIds }): Association => ({
          creativeExternalId: creativeId,
          weight: weight ?? null,
          placementIds: placementIds ?? null,
        }),
      )
      .sort((a, b) => (a.creativeExternalId < b.creativeExternalId ? -1 : 1)),
  }
}

/** The settings of a line: those of the order's newest version. */
export function settingsOf({
  productId,
  pricing,
  guaranteed,
  terms,
  targetingOverlay,
}: Pick<Package, 'productId' | 'pricing' | 'guaranteed' | 'terms' | 'targetingOverlay'>): LineSettings {
  // Ad servers know a flat price, and one by time, as that of the whole flight.
  const flightPrice = flightPriceMicros(pricing, terms)
  const { portionMicros: _simulated, ...dailyCap } = terms.dailyCap ?? {}
  return {
    productId,
    startsAt: terms.startsAt,
    endsAt: terms.endsAt,
    budgetMicros: terms.budgetMicros,
    price: {
      model: modelThere(pricing.model),
      basis: pricing.basis,
      rateMicros: flightPrice ?? terms.rateMicros,
      ...(terms.bidMicros !== undefined && { bidMicros: terms.bidMicros }),
    },
    goalImpressions: terms.impressions ?? null,
    priority: guaranteed ? 'guaranteed' : 'non_guaranteed',
    pacing: terms.pacing,
    ...(terms.dailyCap && { dailyCap }),
    targeting: targetingOverlay ?? null,
  }
}

/** A creative of the library as ad servers get it. */
export function desiredCreative({ creativeId, content: { name, formatId, assets } }: Creative): DesiredCreative {
  const contentVersion = hash('sha256', canonicalText({ name, formatId, assets })).slice(0, 32)
  return { externalId: creativeId, name, formatId, assets, contentVersion }
}
