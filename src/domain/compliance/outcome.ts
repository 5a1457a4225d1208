import { AdcpError } from '../../protocol/errors.ts'

/** How the controller names what went wrong (AdCP compliance, comply_test_controller). */
export type ControllerCode = 'UNKNOWN_SCENARIO' | 'FORBIDDEN' | 'INVALID_PARAMS' | 'NOT_FOUND' | 'INVALID_TRANSITION'

/** Controller code by the error that the product's own rules throw. Errors that are not listed are no answer of a scenario. */
const CODES: Readonly<Record<string, ControllerCode>> = {
  ACCOUNT_NOT_FOUND: 'NOT_FOUND',
  CREATIVE_NOT_FOUND: 'NOT_FOUND',
  MEDIA_BUY_NOT_FOUND: 'NOT_FOUND',
  PRODUCT_NOT_FOUND: 'NOT_FOUND',
  REFERENCE_NOT_FOUND: 'NOT_FOUND',
  SESSION_NOT_FOUND: 'NOT_FOUND',
  INVALID_STATE: 'INVALID_TRANSITION',
  NOT_CANCELLABLE: 'INVALID_TRANSITION',
  INVALID_REQUEST: 'INVALID_PARAMS',
  VALIDATION_ERROR: 'INVALID_PARAMS',
  UNSUPPORTED_FEATURE: 'INVALID_PARAMS',
}

/** The controller's answer to an error; rethrows one that is not a scenario's. */
export function failureOf(error: unknown): Readonly<Record<string, unknown>> {
  const code = error instanceof AdcpError ? CODES[error.code] : undefined
  if (!(error instanceof AdcpError) || code === undefined) throw error
  const current = error.details?.current_state
  return {
    success: false,
    error: code,
    error_detail: error.message,
    ...(typeof current === 'string' && { current_state: current }),
  }
}

/** The answer to a scenario that this server does not have. */
export function unknownScenario(known: readonly string[]): object {
  return { success: false, error: 'UNKNOWN_SCENARIO', error_detail: `this server has ${known.join(', ')}` }
}

/** The answer to a live caller, or about a live account. */
export function forbidden(reason: string): Readonly<Record<string, unknown>> {
  return { success: false, error: 'FORBIDDEN' satisfies ControllerCode, error_detail: reason }
}

/** What a force_* scenario did. */
export function transitioned(from: string, to: string, entity: string): object {
  return { success: true, previous_state: from, current_state: to, message: `${entity}: ${from} → ${to}` }
}

/** The refusal of a transition that the life cycle does not have. */
export function noTransition(from: string, to: string): AdcpError {
  return new AdcpError('INVALID_STATE', `there is no transition from ${from} to ${to}`, { details: { current_state: from } })
}
