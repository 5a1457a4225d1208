import { currentMetrics } from '../current-metrics.ts'
import type { PropertyDocument } from '../directory/property-document.ts'
import type { FormatRef, Offer } from './offer.ts'
import type { Coverage, Discount, Product, Selling, TargetingSupport } from './product.ts'
import { type Season, withSeasons } from './season.ts'

/** A format as the import file names it: one of this agent's by its id alone, another agent's in full. */
export type FormatName = string | FormatRef

/** What fixed prices are for flights that start from one day to another (UTC, both included). */
export interface SeasonDocument {
  readonly season_id: string
  readonly from: string
  readonly until: string
  readonly pricing_option_id?: string
  readonly percent?: number
  readonly price?: number
}

export interface SellingDocument {
  readonly visibility?: Selling['visibility']
  readonly status?: Selling['status']
  readonly daily_capacity: number
  readonly approval?: Selling['approval']
  readonly creative_lead_hours?: number
  readonly audiences?: readonly string[]
  readonly keywords?: readonly string[]
  readonly coverage?: Omit<Coverage, 'postalAreas' | 'points'> & {
    readonly postal_areas?: Coverage['postalAreas']
    readonly points?: readonly { readonly lat: number; readonly lng: number; readonly radius_km: number }[]
  }
  readonly targeting?: {
    readonly geo?: readonly string[]
    readonly keywords?: boolean
    readonly frequency_cap?: boolean
    readonly geo_proximity?: boolean
  }
  readonly available_from?: string
  readonly available_until?: string
  readonly exclusive_to?: readonly string[]
  readonly discounts?: readonly { readonly percent: number; readonly min_budget?: number; readonly buyers?: readonly string[] }[]
  readonly seasons?: readonly SeasonDocument[]
}

type PlacementDocument = Omit<NonNullable<Offer['placements']>[number], 'format_ids'> & {
  readonly format_ids?: readonly FormatName[]
}

/** One product of the import file, and the form in which the store keeps it (schemas/products-import.json). */
export type ProductDocument = Omit<Offer, 'format_ids' | 'placements' | 'is_custom'> & {
  readonly format_ids: readonly FormatName[]
  readonly placements?: readonly PlacementDocument[]
  readonly selling: SellingDocument
}

export interface Publisher {
  readonly name: string
  readonly domain: string
}

/** A show, series or publication of the publisher (AdCP core/collection.json), as far as collection lists resolve against it. */
export interface CollectionDocument {
  readonly collection_id: string
  readonly name: string
  readonly kind?: string
  readonly genre?: readonly string[]
  readonly genre_taxonomy?: string
  readonly content_rating?: { readonly system: string; readonly rating: string }
  readonly production_quality?: string
  readonly distribution?: readonly {
    readonly publisher_domain: string
    readonly identifiers: readonly { readonly type: string; readonly value: string }[]
  }[]
}

/** A media plan that the publisher curates itself (AdCP core/proposal.json without status and expiry). */
export interface PlanDocument {
  readonly proposal_id: string
  readonly name: string
  readonly description?: string
  readonly keywords?: readonly string[]
  readonly allocations: readonly {
    readonly product_id: string
    readonly allocation_percentage: number
    readonly pricing_option_id: string
    readonly rationale?: string
    readonly tags?: readonly string[]
  }[]
  readonly total_budget_guidance?: {
    readonly min?: number
    readonly recommended?: number
    readonly max?: number
    readonly currency?: string
  }
}

/** A whole file of products: what an import replaces and an export writes. */
export interface ProductsFile {
  readonly version: 1
  readonly publisher?: Publisher
  readonly properties?: readonly PropertyDocument[]
  readonly collections?: readonly CollectionDocument[]
  readonly products: readonly ProductDocument[]
  readonly plans?: readonly PlanDocument[]
}

/**
 * A placement that is described in its product and can be chosen by itself. 3.1 requires both members (core/placement.json), so that clients of later
 * releases refuse an answer whose placements lack them; 3.0 allows them.
 */
const INLINE_PLACEMENT = { kind: 'seller_inline', mode: 'targetable' } as const

/** The official product of a document: formats of this agent get `agentUrl` as their owner, `selling` stays behind. */
export function offerOf(document: ProductDocument, agentUrl: string): Offer {
  const { selling, format_ids, placements, reporting_capabilities, pricing_options, ...official } = document
  const full = (name: FormatName): FormatRef => (typeof name === 'string' ? { agent_url: agentUrl, id: name } : name)
  return {
    ...official,
    pricing_options: withSeasons(pricing_options, selling.seasons?.map(seasonOf)),
    reporting_capabilities: {
      ...reporting_capabilities,
      available_metrics: currentMetrics(reporting_capabilities.available_metrics),
    },
    format_ids: format_ids.map(full),
    ...(placements && {
      placements: placements.map(({ format_ids: names, ...placement }) => ({
        ...INLINE_PLACEMENT,
        ...placement,
        ...(names && { format_ids: names.map(full) }),
      })),
    }),
    ...(selling.visibility === 'custom' && { is_custom: true }),
  }
}

/** The product that a document describes, with every default filled in. */
export function productOf(document: ProductDocument, agentUrl: string): Product {
  return { id: document.product_id, offer: offerOf(document, agentUrl), selling: sellingOf(document.selling) }
}

function sellingOf(document: SellingDocument): Selling {
  return {
    visibility: document.visibility ?? 'standard',
    status: document.status ?? 'active',
    dailyCapacity: document.daily_capacity,
    approval: document.approval ?? 'automatic',
    ...(document.creative_lead_hours !== undefined && { creativeLeadHours: document.creative_lead_hours }),
    audiences: document.audiences ?? [],
    keywords: document.keywords ?? [],
    coverage: coverageOf(document.coverage ?? {}),
    targeting: targetingOf(document.targeting ?? {}),
    ...(document.available_from !== undefined && { availableFrom: document.available_from }),
    ...(document.available_until !== undefined && { availableUntil: document.available_until }),
    exclusiveTo: document.exclusive_to ?? [],
    ...(document.discounts && { discounts: document.discounts.map(discountOf) }),
    ...(document.seasons && { seasons: document.seasons.map(seasonOf) }),
  }
}

function discountOf({ percent, min_budget, buyers }: NonNullable<SellingDocument['discounts']>[number]): Discount {
  return { percent, ...(min_budget !== undefined && { minBudget: min_budget }), ...(buyers && { buyers }) }
}

export function seasonOf({ season_id: id, pricing_option_id: optionId, ...season }: SeasonDocument): Season {
  return { id, ...season, ...(optionId !== undefined && { optionId }) }
}

function coverageOf({ postal_areas, points, ...places }: NonNullable<SellingDocument['coverage']>): Coverage {
  return {
    ...places,
    ...(postal_areas && { postalAreas: postal_areas }),
    ...(points && { points: points.map(({ lat, lng, radius_km }) => ({ lat, lng, radiusKm: radius_km })) }),
  }
}

function targetingOf(document: NonNullable<SellingDocument['targeting']>): TargetingSupport {
  return {
    geo: document.geo ?? ['country'],
    keywords: document.keywords ?? false,
    frequencyCap: document.frequency_cap ?? false,
    geoProximity: document.geo_proximity ?? false,
  }
}
