import { AdServerRefusal } from '../refusal.ts'
import type { Message } from './client.ts'
import { GamForbidden, GamOutage, GamQuota } from './gam-error.ts'
import { messageOf, textOf } from './messages.ts'
import { elementsOf } from './soap-elements.ts'

/** Errors after which the same call may succeed, and that had no effect: quotas, and two changes at once. */
const AGAIN = /^(QuotaError\.|CommonError\.CONCURRENT_MODIFICATION)/
const TOO_FAST = 'QuotaError.EXCEEDED_QUOTA'
/** Kinds of errors of the API itself, whose effect is not known. */
const BROKEN = /^(ServerError\.|InternalApiError\.)/
const FORBIDDEN = /^(AuthenticationError\.|PermissionError\.|FeatureError\.|ApiVersionError\.)/

const MOST_TEXT = 300

/**
 * What an error answer means (ApiExceptionFault of the SOAP API, in the detail of its fault): quota, concurrent changes and errors of the API are outages; a call that is
 * not allowed is a wrong setup; everything else is a refusal that no repetition changes.
 */
export function soapError(status: number, fault: Message | undefined, retryAfterSeconds: number | undefined): Error {
  const errors = elementsOf(messageOf(messageOf(fault, 'detail'), 'ApiExceptionFault') ?? {}, 'errors')
  const codes = errors.flatMap((error) => textOf(error, 'errorString') ?? [])
  const named = errors.map((error) =>
    ['errorString', 'fieldPath', 'trigger'].flatMap((member) => textOf(error, member) ?? []).join(' '),
  )
  const text = (named.length > 0 ? named.join('; ') : (textOf(fault, 'faultstring') ?? 'no reason given')).slice(0, MOST_TEXT)
  const message = `Google Ad Manager refuses: ${text}`
  const isAgain = codes.length > 0 && codes.every((code) => AGAIN.test(code))
  if (status === 429 || (isAgain && codes.includes(TOO_FAST)))
    return new GamQuota(`Google Ad Manager: the quota is used up: ${text}`, retryAfterSeconds)
  if (isAgain) return new GamOutage(`Google Ad Manager asks to be called again later: ${text}`, 'none', retryAfterSeconds)
  if (status === 401 || status === 403 || codes.some((code) => FORBIDDEN.test(code)))
    return new GamForbidden('CONFIGURATION_ERROR', message)
  if (codes.length === 0 || codes.some((code) => BROKEN.test(code)))
    return new GamOutage(`Google Ad Manager answers ${status}: ${text}`, 'unknown', retryAfterSeconds)
  return new AdServerRefusal('INVALID_REQUEST', message, text)
}
