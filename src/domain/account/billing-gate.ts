import { AdcpError } from '../../protocol/errors.ts'
import type { BillingParty } from '../identity/principal.ts'

/** Who may be billed: what the publisher accepts, and what it agreed with the calling agent. Undefined: everybody. */
export interface BillingTerms {
  readonly publisher: readonly BillingParty[] | undefined
  readonly agent: readonly BillingParty[] | undefined
}

/**
 * Why an account cannot be billed as asked; undefined when it can. What the agent's own terms are beyond one suggestion is not disclosed (AdCP 3.1, error
 * handling, "Billing": the details are clamped). `field` is the path of `billing`.
 */
export function billingFault(billing: BillingParty, { publisher, agent }: BillingTerms, field: string): AdcpError | undefined {
  if (publisher && !publisher.includes(billing)) {
    return new AdcpError('BILLING_NOT_SUPPORTED', `billing by ${billing} is not offered`, {
      field,
      details: { scope: 'capability', supported_billing: publisher },
      suggestion: `use one of: ${publisher.join(', ')}`,
    })
  }
  if (!agent || agent.includes(billing)) return undefined
  const suggested = agent.find((party) => publisher?.includes(party) ?? true)
  return new AdcpError(
    'BILLING_NOT_PERMITTED_FOR_AGENT',
    `${field} ${billing} is not agreed between the publisher and your agent`,
    {
      field,
      details: { rejected_billing: billing, ...(suggested && { suggested_billing: suggested }) },
      suggestion: suggested ? `send billing ${suggested}` : 'settle the terms with the publisher; no other value will pass',
    },
  )
}
