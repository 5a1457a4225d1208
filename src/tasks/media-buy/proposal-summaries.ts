import type { CommercialTerms } from '../../domain/media-buy/commercial-terms.ts'
import { outline } from '../../domain/summary/outline.ts'
import { joined, money } from '../../domain/summary/summary-text.ts'

/** A draft as request_proposals answers with it. */
interface Draft {
  readonly proposal_id: string
  readonly name: string
  readonly proposal_status: string
  readonly expires_at: string
  readonly terms_digest: string
  readonly commercial_terms: CommercialTerms
}

/** An answer of request_proposals. */
interface Proposed {
  readonly proposals?: readonly Draft[]
  readonly ext?: { readonly notes?: readonly string[] }
}

const NEXT = 'Next: refine_proposals with action "revise" or "finalize", or decline_proposals.'

/** request_proposals: each draft whole (days, budget, allocation, digest), and how it is made firm. */
export function summarizeProposed(response: Proposed): string {
  const { proposals = [], ext } = response
  if (proposals.length === 0) return outline(response, NEXT)
  return [`${proposals.length} proposals:`, ...proposals.map(draftLine), ...(ext?.notes ?? []), NEXT].join('\n')
}

function draftLine({
  proposal_id: id,
  name,
  proposal_status: status,
  expires_at: end,
  terms_digest: digest,
  commercial_terms: terms,
}: Draft): string {
  const { start_time: start, end_time: until, total_budget: total, purchases } = terms
  const parts = purchases.map(({ product_id: product, pricing_option_id: option, budget }) =>
    joined([product, option, budget !== undefined && String(budget)], ' '),
  )
  return joined(
    [
      `${id}: ${name}`,
      status,
      `${start} to ${until}`,
      total && money(total.amount, total.currency),
      parts.join(', '),
      `expires ${end}`,
      `terms_digest ${digest}`,
    ],
    '; ',
  )
}
