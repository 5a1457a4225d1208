import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { AdServerRefusal } from '../refusal.ts'

/** Whether a call that failed may have had its effect. */
export type Effect = 'none' | 'unknown'

/** Google Ad Manager did not answer, or not with what was asked for; the call may be repeated when it has had no effect, or is safe to repeat. */
export class GamOutage extends Error {
  readonly effect: Effect
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, effect: Effect, retryAfterSeconds?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'GamOutage'
    this.effect = effect
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The network was called too often: nothing was done. */
export class GamQuota extends GamOutage {
  constructor(message: string, retryAfterSeconds?: number) {
    super(message, 'none', retryAfterSeconds)
    this.name = 'GamQuota'
  }
}

/** Longest text of an error that is stored and shown. */
const MOST_TEXT = 300

/**
 * What an error answer means (google.rpc.Status as JSON, with `AdManagerError` in its details): the quota, a change at the same moment (`ABORTED`) and 5xx are outages,
 * everything else is a refusal that no repetition changes.
 */
export function gamError(status: number, body: string, retryAfterSeconds: number | undefined): Error {
  const { text, reason, errorCodes } = readStatus(body)
  const isAborted = reason === 'ABORTED' || (errorCodes.length > 0 && errorCodes.every((code) => AGAIN.test(code)))
  if (status === 429 || (isAborted && errorCodes.some((code) => QUOTA.test(code))))
    return new GamQuota('Google Ad Manager: the quota is used up', retryAfterSeconds)
  if (isAborted) return new GamOutage(`Google Ad Manager asks to be called again: ${text}`, 'none', retryAfterSeconds)
  if (status >= 500) return new GamOutage(`Google Ad Manager answers ${status}: ${text}`, 'unknown', retryAfterSeconds)
  const message = `Google Ad Manager refuses (${reason ?? status}): ${text}`
  if (status === 401 || status === 403) return new GamForbidden('CONFIGURATION_ERROR', message)
  const isFull = errorCodes.some((code) => /FORECAST|NOT_ENOUGH|AVAILAB/.test(code))
  if (status === 404) return new GamNotFound('REFERENCE_NOT_FOUND', message, text)
  return new AdServerRefusal(isFull ? 'PRODUCT_UNAVAILABLE' : 'INVALID_REQUEST', message, text)
}

/** Codes of errors after which the same call may succeed, and that had no effect; those of the SOAP API are the same (soap-error.ts). */
const AGAIN = /(CONCURRENT_MODIFICATION|EXCEEDED_QUOTA)$/
const QUOTA = /EXCEEDED_QUOTA$/

/** What a call is about does not exist. */
export class GamNotFound extends AdServerRefusal {}

/** The service account may not do this. */
export class GamForbidden extends AdcpError {}

interface Status {
  readonly text: string
  readonly reason: string | undefined
  readonly errorCodes: readonly string[]
}

function readStatus(body: string): Status {
  const error = memberOf(foreignJsonIn(body), 'error')
  const details = memberOf(error, 'details')
  const found = (Array.isArray(details) ? details : []).slice(0, 20).filter(isObject)
  const errorCodes = found.flatMap(({ errorCode }) => (typeof errorCode === 'string' ? [errorCode] : []))
  const parts = found.flatMap(({ errorCode, fieldPath, message }) =>
    typeof errorCode === 'string' ? [[errorCode, fieldPath, message].filter((part) => typeof part === 'string').join(' ')] : [],
  )
  const message = memberOf(error, 'message')
  const own = typeof message === 'string' ? message : 'no reason given'
  const status = memberOf(error, 'status')
  return {
    text: [own, ...parts].join('; ').slice(0, MOST_TEXT),
    reason: typeof status === 'string' ? status.slice(0, 40) : undefined,
    errorCodes,
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
