import { type AdcpError, type RecoveryOf, toWireError } from '../../protocol/errors.ts'
import type { JsonObject } from './json.ts'

/**
 * The same error in its three places: `adcp_error` and `errors[]` (AdCP error handling, transport errors) and the plain
 * `error`. On IDEMPOTENCY_CONFLICT `adcp_error` holds code and message, and from 3.1 on `recovery`: the official checks take any
 * further member for a hint at the stored request. An error that represents several has each of them in `errors[]`.
 * @param release as it is echoed, absent for 3.0
 */
export function errorShapes(error: AdcpError, recoveryOf: RecoveryOf, release?: string): JsonObject {
  const wire = toWireError(error, recoveryOf)
  const { code, message, recovery } = wire
  return {
    adcp_error: code === 'IDEMPOTENCY_CONFLICT' ? { code, message, ...(release !== undefined && { recovery }) } : wire,
    errors: error.faults?.map((each) => toWireError(each, recoveryOf)) ?? [wire],
    error: { code, message, recovery },
  }
}
