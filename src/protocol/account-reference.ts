import type { AccountReference } from '@adcp/sdk/types'
import { AdcpError } from './errors.ts'
import { isObject } from './is-object.ts'

/** An `account` that the caller's schema does not declare, so that nothing has looked at it yet; undefined when there is none. Throws INVALID_REQUEST for what is no reference. */
export function accountReference(value: unknown): AccountReference | undefined {
  if (value === undefined || isReference(value)) return value
  const message = 'account is no reference: send {"account_id": …} or {"brand": {"domain": …}, "operator": …}'
  throw new AdcpError('INVALID_REQUEST', message, { field: 'account' })
}

function isReference(value: unknown): value is AccountReference {
  if (!isObject(value)) return false
  const { account_id: id, brand, operator } = value
  if (id !== undefined) return typeof id === 'string' && brand === undefined
  return isObject(brand) && typeof brand.domain === 'string' && typeof operator === 'string'
}
