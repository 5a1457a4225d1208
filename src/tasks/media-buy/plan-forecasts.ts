import { flightOfProposal } from '../../domain/product/flight-id.ts'
import { conditionedProposal, conditionsOf, notEstimated } from '../../domain/product/forecast-conditions.ts'
import type { HardTargeting } from '../../domain/product/hard-targeting.ts'
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
  { filters = {}, ...asked }: Asked,
  offered: ProductsById,
  asking: Asking,
): Promise<PlanForecasts> {
  const proposals: Proposal[] = []
  let unknown: string | undefined
  const isDated = filters.start_date !== undefined || filters.end_date !== undefined
  for (const proposal of planned) {
    const own = isDated ? undefined : flightOfProposal(proposal)
    const dated = { ...filters, ...(own && { start_date: own.first, end_date: own.last }) }
    const known = await forecastFor(proposal, targetingOf(proposal), { ...asked, filters: dated }, { offered, asking })
    unknown ??= known.unknown
    proposals.push(known.proposal)
  }
  return { proposals, unknown }
}

export interface SnapshotForecasts {
  readonly snapshots: readonly Snapshot[]
  /** As in {@link PlanForecasts}. */
  readonly unknown: string | undefined
}

/** Snapshots with forecasts for the flight and the targeting of their terms and for the words of the brief (`hints`), as {@link forecastPlans}. */
export async function forecastSnapshots(
  snapshots: readonly Snapshot[],
  hints: Asked['hints'],
  offered: ProductsById,
  asking: Asking,
): Promise<SnapshotForecasts> {
  const forecast: Snapshot[] = []
  let unknown: string | undefined
  for (const { proposal, negotiated } of snapshots) {
    const { terms, question } = negotiated
    const last = new Date(Date.parse(terms.end_time) - 1).toISOString().slice(0, 10)
    const filters = { ...question.filters, start_date: terms.start_time.slice(0, 10), end_date: last }
    const asked = { filters, hints, overlay: question.targeting_overlay }
    const known = await forecastFor(proposal, question.brief_targeting ?? {}, asked, { offered, asking, family: 'compact' })
    unknown ??= known.unknown
    forecast.push({ proposal: { ...known.proposal, expires_at: proposal.expires_at }, negotiated })
  }
  return { snapshots: forecast, unknown }
}

interface Of {
  readonly offered: ProductsById
  readonly asking: Asking
  /** Whose words the sentence uses; absent: those of the established tasks. */
  readonly family?: 'compact'
}

/** A proposal with the forecasts that hold for what is asked and for the targeting that it carries into its packages, and the sentence where they are left out. */
async function forecastFor(
  proposal: Proposal,
  { geo_countries: limit = [], geo_countries_exclude: not = [], language = [], frequency_cap: cap }: HardTargeting,
  asked: Asked,
  { offered, asking, family }: Of,
): Promise<{ readonly proposal: Proposal; readonly unknown: string | undefined }> {
  const plain = conditionsOf({
    ...asked,
    overlay: {
      ...asked.overlay,
      ...(limit.length > 0 && { geo_countries: [...limit] }),
      ...(not.length > 0 && { geo_countries_exclude: [...not] }),
      ...(language.length > 0 && { language: [...language] }),
      ...(cap && { frequency_cap: cap }),
    },
  })
  if (!plain) return { proposal, unknown: undefined }
  const products = productsOf(proposal, offered)
  const conditions = await withLeft(plain, products, asking)
  return {
    proposal: conditionedProposal(proposal, offered, conditions, asking.principal?.principalId),
    unknown: notEstimated(products, conditions, family && 'refine_proposals with action "finalize"'),
  }
}

function productsOf({ allocations }: Proposal, offered: ProductsById): Product[] {
  return allocations.flatMap(({ product_id: id }) => offered.get(id) ?? [])
}
