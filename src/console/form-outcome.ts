import { AdcpError } from '../protocol/errors.ts'
import type { Answer, TenantCall } from './route.ts'

/** Answers a form: as `carryOut` does, and when that is refused, with the page again and the reason. Throws what is no refusal. */
export function orAgain(
  carryOut: (call: TenantCall) => Promise<Answer>,
  again: (call: TenantCall, refusal: AdcpError) => Answer | Promise<Answer>,
): (call: TenantCall) => Promise<Answer> {
  return async (call) => {
    try {
      return await carryOut(call)
    } catch (error) {
      if (!(error instanceof AdcpError)) throw error
      return again(call, error)
    }
  }
}
