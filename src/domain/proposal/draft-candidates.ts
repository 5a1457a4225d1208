import type { Allowed } from '../product/allowed-products.ts'
import type { Brief } from '../product/brief.ts'
import { proposalsFor } from '../product/brief-proposals.ts'
import type { Share } from '../product/draft-id.ts'
import { planOption, rescale } from '../product/media-plan.ts'
import { generatedFrame } from '../product/open-plan.ts'
import type { PlanDocument } from '../product/products-file.ts'
import type { DatedProposal, Proposal } from '../product/proposal.ts'
import { draftProposal } from '../product/proposals.ts'
import type { Ranking } from '../product/ranking.ts'

/** Plans of one answer: each is kept. */
const MOST_CANDIDATES = 5
/** Of the best products, how many are tried for one that a plan may hold. */
const MOST_TRIED = 20

/**
 * Plans that answer a brief, best first: those of get_products, or one over the products that the buyer names (`candidates`), or over the best one
 * where a plan of several cannot be made.
 */
export function draftCandidates(
  { brief, ranking }: { readonly brief: Brief; readonly ranking: Ranking },
  candidates: readonly string[] | undefined,
  { plans, allowed, now }: { readonly plans: readonly PlanDocument[]; readonly allowed: Allowed; readonly now: Date },
): Proposal[] {
  const found = candidates ? [] : proposalsFor(brief, ranking, plans, allowed, now)
  if (found.length > 0) return found.slice(0, MOST_CANDIDATES)
  const best = ranking.isAnswer
    ? ranking.slice(0, MOST_TRIED).flatMap(({ product: { id } }) => (allowed.products.get(id) ? id : []))
    : []
  const ids = candidates ?? best.slice(0, 1)
  return evenPlan(ids, allowed, now) ?? []
}

/** A plan with the same share of each product that is allowed and priced in one currency; undefined where there is none. */
function evenPlan(ids: readonly string[], { products, budget, buyer }: Allowed, now: Date): DatedProposal[] | undefined {
  const known = ids.flatMap((id) => products.get(id) ?? [])
  const currency = budget?.currency ?? known[0]?.offer.pricing_options[0]?.currency
  const shares = known.flatMap((product): Share[] => {
    const option = planOption(product, currency)
    return option ? [{ productId: product.id, optionId: option.pricing_option_id, percent: 1 }] : []
  })
  const name = known.length === 1 ? (known[0]?.offer.name ?? '') : generatedFrame('').name
  const frame = { ...generatedFrame(''), name: name.slice(0, 255), buyer, ...(budget && { budget }) }
  const draft = shares.length > 0 ? draftProposal(rescale(shares), products, frame, now) : undefined
  return draft && [draft]
}
