import { flightOfDays } from './asked-days.ts'
import { flightOfProposal } from './flight-id.ts'
import { pricingOption } from './negotiated-price.ts'
import { flatPrice } from './product.ts'
import type { ProductsById } from './product-list.ts'
import type { Proposal } from './proposal.ts'

/** Shares are whole per cent: what one of them is more than a price is no news. */
const ROUNDING = 0.01

/**
 * The sentence on plans in which the share of a product with one price is not what it costs: that is booked, and the other products have the rest, or it is left over where
 * they have one price too. `buyer`: the principal that asks.
 */
export function flatShareNotes(proposals: readonly Proposal[], products: ProductsById, buyer: string | undefined): string[] {
  const over = proposals.flatMap((proposal) => {
    const { allocations, total_budget_guidance: guidance } = proposal
    const { recommended: total = 0, currency = '' } = guidance ?? {}
    const flight = flightOfDays(flightOfProposal(proposal))
    // Of what is sold by time the price is not known before its flight.
    const lines = allocations.map(({ product_id: id, pricing_option_id, allocation_percentage: percent }) => {
      const product = products.get(id)
      const option = product && pricingOption(product, pricing_option_id, buyer)
      return { id, share: (total * percent) / 100, most: (option && flatPrice(option, flight)) ?? Number.POSITIVE_INFINITY }
    })
    const priced = lines.filter(({ most, share }) => Number.isFinite(most) && Math.abs(share - most) > total * ROUNDING)
    if (priced.length === 0) return []
    const rest = lines.reduce((sum, { most }) => sum - most, total)
    const where = rest >= 0 ? `${Math.round(rest)} ${currency} of ${total} are left over` : 'the others have the rest'
    const names = priced.map(({ id, most }) => `${id} ${most} ${currency}`)
    return [`${proposal.proposal_id} books ${names.join(', ')} whatever the share; ${where}`]
  })
  return over.length === 0 ? [] : [`One price for the flight: ${over.join('. ')}.`]
}
