import { type Allowed, proposalFault } from './allowed-products.ts'
import type { Brief } from './brief.ts'
import { termsOf } from './brief-terms.ts'
import { draftIdOf } from './draft-id.ts'
import { planShares } from './media-plan.ts'
import type { PlanDocument } from './products-file.ts'
import { curatedProposal, draftProposal, type Proposal } from './proposals.ts'
import type { Ranking } from './ranking.ts'
import { generatedFrame } from './refine-proposals.ts'

/** Words that a brief and a plan of the publisher must share for the plan to be offered. */
const MIN_SHARED_TERMS = 2

/**
 * Proposals that answer a brief: the publisher's own plans that fit it, best first, then one made of the best products. A plan
 * is shown only if all of it is allowed: its products, its prices and its budget.
 */
export function proposalsFor(
  brief: Brief,
  ranking: Ranking,
  plans: readonly PlanDocument[],
  allowed: Allowed,
  now: Date,
): Proposal[] {
  const offered = allowed.products
  const budget = allowed.budget ? { budget: allowed.budget } : {}
  const isAllowed = (proposal: Proposal) => proposalFault(proposal, allowed) === undefined
  const terms = new Set(brief.terms)
  const curated = plans
    .map((plan) => ({ plan, shared: termsOf((plan.keywords ?? []).join(' ')).filter((term) => terms.has(term)) }))
    .filter(({ shared }) => shared.length >= MIN_SHARED_TERMS)
    .toSorted((a, b) => b.shared.length - a.shared.length)
    .flatMap(({ plan, shared }) => {
      const briefAlignment = `The brief and this plan share: ${shared.join(', ')}.`
      return curatedProposal(plan, offered, { briefAlignment, ...budget }, now) ?? []
    })
  const shares = planShares(ranking, allowed)
  if (shares.length === 0) return curated.filter(isAllowed)
  const frame = {
    ...generatedFrame(draftIdOf({ shares, madeAt: now })),
    ...budget,
    briefAlignment: 'Made of the products that match the brief best.',
  }
  const generated = draftProposal(shares, offered, frame, now)
  return (generated ? [...curated, generated] : curated).filter(isAllowed)
}
