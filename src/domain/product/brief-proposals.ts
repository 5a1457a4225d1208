import { DAY_MS } from '../calendar/instant.ts'
import { type Allowed, proposalFault } from './allowed-products.ts'
import { flightOfDays } from './asked-days.ts'
import type { Brief } from './brief.ts'
import { channelsIn, isChannelTerm } from './brief-channels.ts'
import { carriedOf } from './brief-hints.ts'
import { isOfWantedMedia } from './brief-media.ts'
import { termsOf } from './brief-terms.ts'
import { idForBudget } from './budget-id.ts'
import { draftIdOf, type Share } from './draft-id.ts'
import { proposalFor } from './flight-id.ts'
import { keepsOut, mayRunIn } from './hard-targeting.ts'
import { keptOf, targetedById, unlimitable } from './limited-plan.ts'
import { planShares } from './media-plan.ts'
import { missingCapById } from './missed-cap.ts'
import { generatedFrame } from './open-plan.ts'
import type { Product } from './product.ts'
import type { PlanDocument } from './products-file.ts'
import type { Proposal } from './proposal.ts'
import { curatedProposal, draftProposal } from './proposals.ts'
import type { Ranking } from './ranking.ts'

/** Words that a brief and a plan of the publisher must share for the plan to be offered. */
const MIN_SHARED_TERMS = 2

/**
 * Proposals that answer a brief: the publisher's own plans that fit it, best first, then one made of the best products. A plan
 * is shown only if all of it is allowed: its products, its prices and its budget. Each of its products reaches one of the places that the brief names, and is delivered as the brief
 * wants alone.
 */
export function proposalsFor(
  brief: Brief,
  ranking: Ranking,
  plans: readonly PlanDocument[],
  allowed: Allowed,
  now: Date,
): Proposal[] {
  if (allowed.days?.isOver) return []
  const offered = allowed.products
  const { countries: named = [], countriesAlone: alone = [], countriesNot: not = [], delivery } = brief.hints
  const keeps = (product: Product) =>
    (delivery === undefined || product.offer.delivery_type === delivery) &&
    isOfWantedMedia(product, brief) &&
    (named.length === 0 || mayRunIn(product, named)) &&
    (alone.length === 0 || unlimitable([product], alone, allowed.keepsOf).length === 0) &&
    (not.length === 0 || keepsOut(product, not, allowed.keepsOf ?? (() => undefined)))
  const flight = flightOfDays(allowed.days)
  const budget = allowed.budget ? { budget: allowed.budget } : {}
  const isAllowed = (proposal: Proposal) =>
    proposalFault(proposal, allowed) === undefined && productsOf(proposal, allowed).every(keeps)
  const terms = new Set(brief.terms)
  const curated = plans
    .map((plan) => ({ plan, shared: termsOf((plan.keywords ?? []).join(' ')).filter((term) => terms.has(term)) }))
    .filter(({ shared }) => shared.length >= MIN_SHARED_TERMS)
    .toSorted((a, b) => b.shared.length - a.shared.length)
    .flatMap(({ plan, shared }) => {
      const briefAlignment = `The brief and this plan share: ${shared.join(', ')}.`
      return budgeted(
        curatedProposal(plan, offered, { briefAlignment, ...budget, flight }, now),
        curatedProposal(plan, offered, { flight }, now),
      )
    })
  const planned = allowed.days ? allowed : soonOnSale(allowed, now)
  const carried = carriedOf(brief.hints)
  const shares = sharesFor(brief, ranking, planned, keeps)
  const dated = (proposals: readonly Proposal[]) =>
    proposals.filter(isAllowed).map((proposal) => {
      const kept = keptOf(carried, productsOf(proposal, allowed), allowed.keepsOf)
      const places = { geo_countries: alone, geo_countries_exclude: not }
      const targeted = targetedById(proposalFor(proposal, allowed.days), { ...kept, ...places })
      const isMissed = brief.hints.orderTerms?.includes('frequency cap') === true && kept.frequency_cap === undefined
      return isMissed ? missingCapById(targeted) : targeted
    })
  if (shares.length === 0) return dated(curated)
  const frame = {
    ...generatedFrame(draftIdOf({ shares, madeAt: now })),
    briefAlignment: 'Made of the products that match the brief best.',
    flight,
  }
  const generated = budgeted(
    draftProposal(shares, offered, { ...frame, ...budget }, now),
    draftProposal(shares, offered, frame, now),
  )
  return dated([...curated, ...generated])
}

/**
 * Shares of a plan made of the best products. What would run outside of the places that a brief leaves no choice of (`keeps`) is no part of it, nor is what cannot be capped as
 * the brief wants, where the rest is a plan of the same media.
 */
function sharesFor(brief: Brief, ranking: Ranking, planned: Allowed, keeps: (product: Product) => boolean): Share[] {
  const { products, keepsOf } = planned
  const sharesOf = (isWanted: (product: Product) => boolean) =>
    planShares(ranking, {
      ...planned,
      products: { get: (id) => [products.get(id)].find((each) => each && keeps(each) && isWanted(each)) },
    })
  const open = sharesOf(() => true)
  const carried = carriedOf(brief.hints)
  if (carried.frequency_cap === undefined) return open
  const capped = sharesOf((product) => keptOf(carried, [product], keepsOf).frequency_cap !== undefined)
  const isIn = (plan: readonly Share[], channels: readonly string[]) =>
    plan.some(({ productId }) => products.get(productId)?.offer.channels?.some((channel) => channels.includes(channel)))
  const media = brief.terms.filter(isChannelTerm).map(channelsIn)
  return capped.length > 0 && media.every((channels) => isIn(capped, channels) || !isIn(open, channels)) ? capped : open
}

function productsOf({ allocations }: Proposal, { products }: Allowed): Product[] {
  return allocations.flatMap(({ product_id: id }) => products.get(id) ?? [])
}

/** Without dates in the question, an order is expected to begin within this many days. */
const SOON_DAYS = 30

/** Of what is allowed, what is on sale soon: a plan that no days are known of is not made of what runs in another season. */
function soonOnSale(allowed: Allowed, now: Date): Allowed {
  const soon = new Date(now.getTime() + SOON_DAYS * DAY_MS).toISOString().slice(0, 10)
  const isSoon = ({ selling }: Product) => selling.availableFrom === undefined || selling.availableFrom <= soon
  return { ...allowed, products: { get: (id) => [allowed.products.get(id)].find((product) => product && isSoon(product)) } }
}

/** A proposal that a budget made another one than the `usual` carries that in its id, so that whoever names it later means the same terms. */
function budgeted(proposal: Proposal | undefined, usual: Proposal | undefined): Proposal[] {
  if (!proposal) return []
  const { recommended } = proposal.total_budget_guidance ?? {}
  const isUsual = recommended === undefined || recommended === usual?.total_budget_guidance?.recommended
  return [isUsual ? proposal : { ...proposal, proposal_id: idForBudget(proposal.proposal_id, recommended) }]
}
