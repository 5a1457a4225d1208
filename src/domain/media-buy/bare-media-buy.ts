import type { MediaBuy, Package } from './media-buy.ts'

/** Of a package that was not sold by a product. */
export const NO_PRODUCT = 'direct'

export interface BareMediaBuy {
  readonly mediaBuyId: string
  readonly accountId: string
  readonly actor: string
  readonly brand: MediaBuy['brand']
  readonly currency: string
  readonly budgetMicros: number
  readonly startsAt: string
  readonly endsAt: string
  /** Defaults to one package named after the buy. */
  readonly packages?: readonly (Pick<Package, 'packageId' | 'productId' | 'context'> & { readonly budgetMicros: number })[]
  readonly now: Date
}

/**
 * A media buy that was not sold through create_media_buy (an order taken over from elsewhere, a fixture): fixed CPM of ten units of the
 * currency, nothing reserved, creatives to come.
 */
export function bareMediaBuy(facts: BareMediaBuy): MediaBuy {
  const at = facts.now.toISOString()
  const packages = facts.packages ?? [
    { packageId: `${facts.mediaBuyId}-1`, productId: NO_PRODUCT, budgetMicros: facts.budgetMicros },
  ]
  return {
    mediaBuyId: facts.mediaBuyId,
    accountId: facts.accountId,
    revision: 1,
    currency: facts.currency,
    startsAt: facts.startsAt,
    endsAt: facts.endsAt,
    orderId: `direct_${facts.mediaBuyId}`,
    createdAt: at,
    confirmedAt: at,
    updatedAt: at,
    paused: false,
    packages: packages.map((pkg) => barePackage(pkg, facts)),
    history: [{ revision: 1, at, actor: facts.actor, action: 'created', summary: 'Taken over' }],
    brand: facts.brand,
  }
}

function barePackage(
  { packageId, productId, budgetMicros, context }: NonNullable<BareMediaBuy['packages']>[number],
  facts: BareMediaBuy,
): Package {
  const rateMicros = 10_000_000
  return {
    packageId,
    productId,
    ...(context && { context }),
    pricing: {
      pricingOptionId: 'cpm',
      model: 'cpm',
      basis: 'fixed',
      currency: facts.currency,
      fixedMicros: rateMicros,
      maxBid: false,
    },
    guaranteed: false,
    channels: [],
    lineId: `direct_${packageId}`,
    terms: {
      from: facts.now.toISOString(),
      startsAt: facts.startsAt,
      endsAt: facts.endsAt,
      budgetMicros,
      rateMicros,
      pacing: 'even',
      running: true,
    },
    pastTerms: [],
    paused: false,
    needsCreatives: true,
    pastServing: [],
    recorded: [],
    reservedImpressions: 0,
    formatIds: [],
  }
}
