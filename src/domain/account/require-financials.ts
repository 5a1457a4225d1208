import { AdcpError } from '../../protocol/errors.ts'
import { requireOrder } from '../order.ts'
import type { Account } from './account.ts'
import type { Period } from './shown-financials.ts'

/**
 * Only the agent that declared an account sees its finances: they sum up what every agent did in it. Throws INSUFFICIENT_PERMISSIONS, and
 * UNSUPPORTED_FEATURE for an account that is not billed to its operator (AdCP get-account-financials-request, `account`).
 */
export function requireFinancials(account: Account | undefined, principalId: string): asserts account is Account {
  if (!account) throw new AdcpError('INVALID_REQUEST', 'account is required', { field: 'account' })
  if (account.principalId !== principalId) {
    const message = 'the finances of an account are shown to the agent that declared it'
    throw new AdcpError('INSUFFICIENT_PERMISSIONS', message, { field: 'account' })
  }
  const { billing } = account.document
  if (billing !== undefined && billing !== 'operator') {
    const message = `the account is billed to the ${billing}, whose own books are the source of truth`
    throw new AdcpError('UNSUPPORTED_FEATURE', message, { field: 'account' })
  }
}

/** The days of a request. Throws INVALID_REQUEST when they are reversed. */
export function requirePeriod({ start, end }: Period): Period {
  requireOrder({ value: start, field: 'period.start' }, { value: end, field: 'period.end' })
  return { start, end }
}
