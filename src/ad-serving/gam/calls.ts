import { FetchFailure, type FetchFailureCode } from '../../platform/net/fetch-policy.ts'
import type { OutboundCall } from '../../platform/net/outbound-call.ts'
import type { AccessTokens } from '../../security/auth/service-account.ts'
import { GamForbidden, GamOutage, GamQuota } from './gam-error.ts'
import type { Pace } from './pace.ts'

/** What a call to the network is made with. */
export interface CallParts {
  readonly call: OutboundCall
  readonly tokens: AccessTokens
  readonly pause: (ms: number) => Promise<void>
  readonly pace: Pace
}

/**
 * `repeatable`: doing it twice is doing it once, so that it is repeated also when its effect is unknown; a creation is not, and is repeated only when it
 * certainly had no effect.
 */
export type Repeatability = 'repeatable' | 'creation'

/** One call; without content it is a GET. */
export interface GamRequest {
  readonly url: string
  /** Media type of the answer. */
  readonly accept: string
  readonly content?: { readonly type: string; readonly text: string }
  readonly headers?: Readonly<Record<string, string>>
  /** What an answer of another status than 200 means. */
  readonly errorOf: (status: number, body: string, retryAfterSeconds: number | undefined) => Error | Promise<Error>
}

/** A thousand lines are some megabytes. A call has less time than the reconciler gives it (20 s). */
const MAX_BYTES = 20_000_000
const TOTAL_MS = 15_000

const ATTEMPTS = 3
const FIRST_PAUSE_MS = 300
const MOST_PAUSE_MS = 5_000

/** Failures before anything was sent. */
const UNSENT: ReadonlySet<FetchFailureCode> = new Set(['invalid_url', 'not_https', 'reserved_address', 'dns', 'connect', 'tls'])

/** Calls at the pace of the network, and repeats with back-off what may be repeated; a refused token is replaced once. */
export async function repeated<T>(
  { pause, pace }: Pick<CallParts, 'pause' | 'pace'>,
  kind: Repeatability,
  once: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    await pace.turn()
    try {
      return await once()
    } catch (error) {
      if (error instanceof GamQuota) pace.slower()
      const isStale = error instanceof StaleToken
      const isOutage = error instanceof GamOutage && (kind === 'repeatable' || error.effect === 'none')
      if (count === ATTEMPTS || !(isStale || isOutage)) throw isStale ? error.refusal : error
      if (isOutage) await pause(pauseMs(count, error.retryAfterSeconds))
    }
  }
}

function pauseMs(count: number, retryAfterSeconds: number | undefined): number {
  const own = FIRST_PAUSE_MS * 2 ** (count - 1)
  return Math.min(MOST_PAUSE_MS, Math.max(own, (retryAfterSeconds ?? 0) * 1000))
}

/** The API does not accept the token: it was revoked, or has ended. */
class StaleToken extends Error {
  readonly refusal: Error

  constructor(refusal: Error) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** Makes one call, with the token of the service account. Gives the body of an answer with status 200; throws {@link GamOutage}, or what `errorOf` gives. */
export async function send({ call, tokens }: Pick<CallParts, 'call' | 'tokens'>, request: GamRequest): Promise<Buffer> {
  const { url, accept, content, headers, errorOf } = request
  const sent = call(url, {
    method: content ? 'POST' : 'GET',
    headers: {
      accept,
      authorization: `Bearer ${await tokenOf(tokens)}`,
      ...(content && { 'content-type': content.type }),
      ...headers,
    },
    ...(content && { body: content.text }),
    maxBytes: MAX_BYTES,
    signal: AbortSignal.timeout(TOTAL_MS),
  })
  const answer = await sent.catch((error: unknown) => {
    throw outageOf(error)
  })
  if (answer.status === 200) return answer.body
  const error = await errorOf(answer.status, answer.body.toString('utf8'), answer.retryAfterSeconds)
  if (answer.status !== 401 || !(error instanceof GamForbidden)) throw error
  tokens.forget()
  throw new StaleToken(error)
}

async function tokenOf(tokens: AccessTokens): Promise<string> {
  try {
    return await tokens.token()
  } catch (error) {
    throw new GamOutage(error instanceof Error ? error.message : 'there is no token', 'none', undefined, error)
  }
}

function outageOf(error: unknown): Error {
  if (!(error instanceof FetchFailure)) return error instanceof Error ? error : new Error(String(error))
  const effect = UNSENT.has(error.code) ? 'none' : 'unknown'
  return new GamOutage(`Google Ad Manager cannot be reached: ${error.message}`, effect, undefined, error)
}
