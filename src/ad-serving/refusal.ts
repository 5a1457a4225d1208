import { AdcpError } from '../protocol/errors.ts'

/**
 * What an ad server says no to for good: repeating the call changes nothing, a change of the order or at the ad server does. Every other error that a backend
 * throws is an outage, but for an AdcpError whose code is not transient, which is a refusal too.
 */
export class AdServerRefusal extends AdcpError {
  /** Why, in the words of the ad server; the buyer reads it when the order ends with it. */
  readonly reason: string

  /** `message` names the call, for the publisher's people. */
  constructor(code: AdcpError['code'], message: string, reason: string) {
    super(code, message)
    this.name = 'AdServerRefusal'
    this.reason = reason
  }
}

/** A refusal as the reconciler treats it. */
export interface Refusal {
  /** `order`: what is asked for cannot be had; `setup`: our account, its rights or our settings are wrong, which says nothing of the order. */
  readonly of: 'order' | 'setup'
  readonly reason: string
}

/** Codes whose recovery is `transient` (AdCP enums/error-code). */
const TRANSIENT = ['SERVICE_UNAVAILABLE', 'RATE_LIMITED', 'TIMEOUT']
/** Codes that are about us and not about the order. */
const SETUP = [
  'CONFIGURATION_ERROR',
  'AUTH_REQUIRED',
  'AUTH_MISSING',
  'AUTH_INVALID',
  'PERMISSION_DENIED',
  'ACCOUNT_SETUP_REQUIRED',
]

/** The refusal that an error of a backend is; undefined for an outage. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof AdcpError) || TRANSIENT.includes(error.code)) return undefined
  const reason = error instanceof AdServerRefusal ? error.reason : error.message
  return { of: SETUP.includes(error.code) ? 'setup' : 'order', reason }
}
