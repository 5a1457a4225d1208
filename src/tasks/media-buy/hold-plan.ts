import type { CreateMediaBuyRequest } from '@adcp/sdk/types'
import { aheadWords } from '../../domain/media-buy/cancellation-ahead.ts'
import { pricedOn } from '../../domain/media-buy/proposal.ts'
import { microsToAmount, priceToMicros } from '../../domain/money.ts'
import { flightOfDays } from '../../domain/product/asked-days.ts'
import type { NamedDays } from '../../domain/product/brief-dates.ts'
import { flightOfProposal } from '../../domain/product/flight-id.ts'
import { pricingOption } from '../../domain/product/negotiated-price.ts'
import { amountWords } from '../../domain/product/price-words.ts'
import type { DatedProposal } from '../../domain/product/proposal.ts'
import { startDaysOf, startWords } from '../../domain/product/season.ts'
import { withFirmPrices } from '../../domain/proposal/firm-prices.ts'
import { commitmentEnd, holdPolicy } from '../../domain/proposal/hold-policy.ts'
import { daysOfTerms, type Negotiated } from '../../domain/proposal/negotiated.ts'
import { longestLead, planTerms, type TermsContext } from '../../domain/proposal/plan-terms.ts'
import { proposedFlight } from '../../domain/proposal/proposed-flight.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { releaseHoldings } from '../../store/media-buy/inventory-holds.ts'
import { holdFor, poolOfTerms } from './held-proposals.ts'
import { buyingNote, capFault, unheldNote } from './hold-limits.ts'
import { isSimulated } from './orders.ts'
import { tryReserve } from './reservations.ts'

/** What became of a plan that is finalized: with what is firm of it in words, or why it cannot be had. */
export type HeldPlan = { readonly proposal: DatedProposal; readonly notes: string } | { readonly fault: string }

interface Finalizing {
  /** The days of the request; absent: those that the plan is for. */
  readonly days: NamedDays | undefined
  readonly brand: CreateMediaBuyRequest['brand'] | undefined
  readonly terms: TermsContext
}

/**
 * Holds the inventory of a plan that is committed, where its days are known: by the rule of refine_proposals. A plan that cannot be ordered then, or that too little is left of, is
 * refused; one that the publisher's policy holds nothing for is committed, and the words say so.
 */
export async function holdPlan(
  committed: DatedProposal,
  { days: asked, brand = { domain: '' }, terms: context }: Finalizing,
  { tx, tenant, principal, account, now }: InTransaction<AuthenticatedContext>,
): Promise<HeldPlan> {
  const days = asked ?? flightOfProposal(committed)
  const { first, last } = days ?? {}
  if (first === undefined || last === undefined)
    return {
      proposal: committed,
      notes: priceNote(committed, `${NO_DAYS}${byTimeNote(committed, context)}${startNote(committed, context)}`),
    }
  const flight = flightOfDays({ first, last })
  // The days decide the price of a season, whatever the plan was priced at without them.
  const dated = asked ? withFirmPrices(pricedOn(committed, { ...context, flight }), context) : committed
  const made = termsFor(
    dated,
    { filters: { start_date: first, end_date: last } },
    { brand, context, now, simulated: isSimulated({ principal, account }) },
  )
  if ('fault' in made) return made
  const { negotiated } = made
  const end = commitmentEnd(holdPolicy(tenant.settings), negotiated.latest, now)
  // What was firm before its days were known is firm no longer for them.
  const expiresAt = committed.expires_at < end ? committed.expires_at : end
  if (expiresAt <= now.toISOString()) return { fault: 'its flight begins before it could be ordered' }
  const proposal = {
    ...dated,
    expires_at: expiresAt,
    ext: { ...dated.ext, flight: { start_date: first, end_date: last } },
  }
  const { holdings } = negotiated
  if (holdings.length === 0) return { proposal, notes: heldNote(proposal, negotiated) }
  const wanted = { proposalId: proposal.proposal_id, negotiated, expiresAt }
  const holding = { tx, tenant, principal, now }
  const pool = poolOfTerms(holding, negotiated)
  const cap = await capFault(holding, wanted, pool, context.products)
  const fault =
    cap === undefined ? await holdFor(holding, wanted, context.products) : await tryReserve(tx, pool, holdings, context.products)
  if (fault !== undefined)
    return { fault: `${fault}${await buyingNote(holding, { proposal, negotiated }, pool, context.products)}` }
  if (cap === undefined) return { proposal, notes: heldNote(proposal, negotiated) }
  await releaseHoldings(tx, pool, holdings)
  const room = await unheldNote(holding, { proposal, negotiated }, pool, context.products)
  return { proposal, notes: priceNote(proposal, `inventory is not held: ${cap}${room}`, negotiated) }
}

/** What is firm of a plan whose inventory is held, as far as it is guaranteed. */
export function heldNote(proposal: DatedProposal, negotiated: Negotiated): string {
  const { first, last } = daysOfTerms({ negotiated })
  const inventory =
    negotiated.holdings.length === 0
      ? 'nothing of it is guaranteed, so no inventory is held'
      : `inventory held from ${first} to ${last} for ${heldWords(negotiated)}`
  return priceNote(proposal, inventory, negotiated)
}

/** The money of a plan that inventory is held for, and the products that none is held of. */
function heldWords({ terms, holdings }: Pick<Negotiated, 'terms' | 'holdings'>): string {
  const held = new Set(holdings.map(({ productId }) => productId))
  const isHeld = ({ product_id: id }: (typeof terms.purchases)[number]) => held.has(id)
  const open = terms.purchases.filter((purchase) => !isHeld(purchase)).map(({ product_id: id }) => id)
  const { amount = 0, currency } = terms.total_budget ?? { currency: '' }
  if (open.length === 0) return `${amount} ${currency}`
  const sum = terms.purchases.filter(isHeld).reduce((micros, { budget = 0 }) => micros + priceToMicros(budget, 'budget'), 0)
  return `${microsToAmount(sum)} ${currency}, not of ${open.join(', ')}`
}

const NO_DAYS =
  'inventory is not held, because no days are known: filters.start_date and end_date beside this entry hold it, or say that too little is left'

/** For which starts the prices of a plan without days are firm, where they depend on the start. */
function startNote({ allocations }: DatedProposal, { products, principalId }: TermsContext): string {
  return allocations
    .flatMap(({ product_id: id, pricing_option_id }) => {
      const product = products.get(id)
      const option = product && pricingOption(product, pricing_option_id, principalId)
      const days = option && startDaysOf(option)
      return days ? [`; that price of ${id} is of starts ${startWords(days)}: an order that starts on other days has theirs`] : []
    })
    .join('')
}

/** What a plan needs for its days, where a product of it is sold by time. */
function byTimeNote({ allocations }: DatedProposal, { products, principalId }: TermsContext): string {
  const timed = allocations.flatMap(({ product_id: id, pricing_option_id }) => {
    const product = products.get(id)
    const option = product && pricingOption(product, pricing_option_id, principalId)
    return option?.pricing_model === 'time' ? [`${id} costs ${amountWords(option)}`] : []
  })
  return timed.length === 0 ? '' : `; ${timed.join(', ')}, so that the days decide what total_budget is needed`
}

/** What is firm of a plan, and what cancelling it would cost once its days are known. */
function priceNote({ expires_at: end }: DatedProposal, inventory: string, negotiated?: Pick<Negotiated, 'terms'>): string {
  const purchases = negotiated?.terms.purchases ?? []
  const auctioned = purchases.filter(({ pricing }) => pricing.fixed_price === undefined).map(({ product_id: id }) => id)
  const bids = auctioned.length === 0 ? '' : `; ${auctioned.join(', ')}: auctioned, only the floor is firm and the bid decides`
  const cancelling = negotiated ? `; ${aheadWords(purchases, end)}` : ''
  const firm = purchases.length > 0 && auctioned.length === purchases.length ? 'terms' : 'prices'
  return `${firm} firm until ${end}${bids}; ${inventory}${cancelling}`
}

interface TermsOf {
  readonly brand: CreateMediaBuyRequest['brand']
  readonly context: TermsContext
  readonly now: Date
  readonly simulated: boolean
}

/** Why a plan has no flight in its days: they are over, or will be when the creatives that have to be there first can be. */
function tooLate(
  ids: readonly string[],
  { filters = {} }: Negotiated['question'],
  { products }: TermsContext,
  now: Date,
): string {
  if ((filters.end_date ?? '') < now.toISOString().slice(0, 10)) return 'its days are over'
  const leads = ids.map((id) => ({ id, hours: products.get(id)?.selling.creativeLeadHours ?? 0 }))
  const [longest] = leads.toSorted((a, b) => b.hours - a.hours)
  return longest && longest.hours > 0
    ? `creatives of ${longest.id} are due ${longest.hours} hours before its flight, which would be over by then`
    : 'its days are over within the hour'
}

/** The terms of a plan over days, or why no such order can be made. */
export function termsFor(
  plan: DatedProposal,
  question: Negotiated['question'],
  { brand, context, now, simulated }: TermsOf,
): { readonly negotiated: Negotiated } | { readonly fault: string } {
  const ids = plan.allocations.map(({ product_id: id }) => id)
  const flight = proposedFlight(question, now, longestLead(ids, context.products))
  if (!flight) return { fault: tooLate(ids, question, context, now) }
  const { recommended = 0, currency = '' } = plan.total_budget_guidance ?? {}
  try {
    return {
      negotiated: planTerms(plan, { brand, flight, total: { amount: recommended, currency }, question, simulated }, context),
    }
  } catch (error) {
    if (error instanceof AdcpError) return { fault: error.message }
    throw error
  }
}
