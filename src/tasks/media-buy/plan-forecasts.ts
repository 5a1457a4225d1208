import { flightOfProposal } from '../../domain/product/flight-id.ts'
import {
  conditionedProposal,
  conditionsOf,
  type ForecastConditions,
  notEstimated,
} from '../../domain/product/forecast-conditions.ts'
import { targetingOf } from '../../domain/product/limited-plan.ts'
import type { Product } from '../../domain/product/product.ts'
import type { ProductsById } from '../../domain/product/product-list.ts'
import type { Proposal } from '../../domain/product/proposal.ts'
import type { Snapshot } from '../../domain/proposal/negotiated.ts'
import { type Asking, withLeft } from './left-in-flight.ts'

type Asked = Parameters<typeof conditionsOf>[0]

export interface PlanForecasts {
  readonly proposals: readonly Proposal[]
  /** The sentence about forecasts that are left out; undefined where none is. */
  readonly unknown: string | undefined
}

/**
 * Proposals with the forecasts that hold for the flight, the places and the cap that each is for: those of the question, where it names any, else its own. What their products have
 * left in that flight is the most that they forecast.
 */
export async function forecastPlans(
  planned: readonly Proposal[],
  { filters = {}, hints, overlay }: Asked,
  offered: ProductsById,
  asking: Asking,
): Promise<PlanForecasts> {
  const proposals: Proposal[] = []
  let unknown: string | undefined
  for (const proposal of planned) {
    const isDated = filters.start_date !== undefined || filters.end_date !== undefined
    const own = isDated ? undefined : flightOfProposal(proposal)
    const { geo_countries: limit = [], geo_countries_exclude: not, language, frequency_cap: cap } = targetingOf(proposal)
    const conditions = conditionsOf({
      filters: { ...filters, ...(own && { start_date: own.first, end_date: own.last }) },
      hints,
      overlay: {
        ...overlay,
        ...(limit.length > 0 && { geo_countries: [...limit] }),
        ...(not && { geo_countries_exclude: [...not] }),
        ...(language && { language: [...language] }),
        ...(cap && { frequency_cap: cap }),
      },
    })
    const products = productsOf(proposal, offered)
    if (conditions) unknown ??= notEstimated(products, conditions)
    proposals.push(await forecastFor(proposal, conditions, { products, offered, asking }))
  }
  return { proposals, unknown }
}

/** Snapshots with forecasts for the flight and the targeting of their terms, as {@link forecastPlans}. */
export async function forecastSnapshots(
  snapshots: readonly Snapshot[],
  offered: ProductsById,
  asking: Asking,
): Promise<readonly Snapshot[]> {
  const forecast: Snapshot[] = []
  for (const { proposal, negotiated } of snapshots) {
    const { terms, question } = negotiated
    const { geo_countries: countries, geo_countries_exclude: not } = question.brief_targeting ?? {}
    const last = new Date(Date.parse(terms.end_time) - 1).toISOString().slice(0, 10)
    const conditions = conditionsOf({
      filters: { start_date: terms.start_time.slice(0, 10), end_date: last },
      overlay: {
        ...question.targeting_overlay,
        ...(countries && { geo_countries: [...countries] }),
        ...(not && { geo_countries_exclude: [...not] }),
      },
    })
    const products = productsOf(proposal, offered)
    const known = await forecastFor(proposal, conditions, { products, offered, asking })
    forecast.push({ proposal: { ...known, expires_at: proposal.expires_at }, negotiated })
  }
  return forecast
}

interface Of {
  readonly products: readonly Product[]
  readonly offered: ProductsById
  readonly asking: Asking
}

async function forecastFor(
  proposal: Proposal,
  conditions: ForecastConditions | undefined,
  { products, offered, asking }: Of,
): Promise<Proposal> {
  if (!conditions) return proposal
  return conditionedProposal(proposal, offered, await withLeft(conditions, products, asking), asking.principal?.principalId)
}

function productsOf({ allocations }: Proposal, offered: ProductsById): Product[] {
  return allocations.flatMap(({ product_id: id }) => offered.get(id) ?? [])
}
