import { AdcpError } from './errors.ts'

/** Whether a code is one of AdCP. */
export type KnowsCode = (code: string) => boolean

/**
 * What a module that this project did not write threw, as an error for the buyer: its own message where it has a code of AdCP, else SERVICE_UNAVAILABLE
 * with `unreachable`; the cause is for the log. A module may be loaded with another copy of this package, so an error counts by its code, not by its class.
 */
export function asAdcpError(error: unknown, where: string, knowsCode: KnowsCode, unreachable: string): AdcpError {
  if (error instanceof AdcpError) return error
  const code = memberOf(error, 'code')
  if (error instanceof Error && typeof code === 'string' && knowsCode(code)) {
    const field = memberOf(error, 'field')
    return new AdcpError(code, error.message, { ...(typeof field === 'string' && { field }), cause: error })
  }
  return new AdcpError('SERVICE_UNAVAILABLE', unreachable, { cause: new Error(`${where} failed`, { cause: error }) })
}

/** A member of a value of unknown shape; undefined where it is no object. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
