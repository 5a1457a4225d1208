import { FetchFailure, type FetchFailureCode } from '../../platform/net/fetch-policy.ts'
import type { OutboundCall } from '../../platform/net/outbound-call.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { AccessTokens } from '../../security/auth/service-account.ts'
import { GamForbidden, GamNotFound, GamOutage, gamError } from './gam-error.ts'

/** A message of the API as JSON: members in camelCase, 64-bit numbers as text, enums by name. */
export type Message = Readonly<Record<string, unknown>>

/** What a list is asked for (https://developers.google.com/ad-manager/api/beta/filters). */
export interface ListQuery {
  readonly filter?: string
  readonly orderBy?: string
}

export interface GamPage {
  readonly items: readonly Message[]
  readonly next: string | undefined
}

/** The REST API v1 of one network. Throws {@link GamOutage} when there is no usable answer, AdcpError when the API refuses. */
export interface GamClient {
  /** `networks/123`. */
  readonly network: string
  get(name: string, query?: Readonly<Record<string, string>>): Promise<Message>
  /** A resource by its name; undefined: there is none. */
  find(name: string): Promise<Message | undefined>
  /**
   * A call that changes something. `repeatable`: doing it twice is doing it once, so that it is repeated also when its effect is unknown; a creation is
   * not, and is repeated only when it certainly had no effect.
   */
  post(path: string, body: Message, kind: 'repeatable' | 'creation'): Promise<Message>
  /** Everything of a collection, e.g. `networks/123/orders`; `member` is the list in the answer. Throws when there are more than 200 pages. */
  list(collection: string, member: string, query?: ListQuery): Promise<readonly Message[]>
  page(collection: string, member: string, query: ListQuery & { readonly after?: string | undefined }): Promise<GamPage>
}

export interface GamClientParts {
  readonly call: OutboundCall
  readonly tokens: AccessTokens
  readonly networkCode: string
  /** Origin of the API. */
  readonly endpoint: string
  readonly pause: (ms: number) => Promise<void>
}

export const GAM_ENDPOINT = 'https://admanager.googleapis.com'
export const GAM_SCOPE = 'https://www.googleapis.com/auth/admanager'

/** A thousand lines are some megabytes. A call has less time than the reconciler gives it (20 s). */
const MAX_BYTES = 20_000_000
const TOTAL_MS = 15_000

/** The most that the API gives at once. */
const PAGE_SIZE = 1_000
const MOST_PAGES = 200
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 300
const MOST_PAUSE_MS = 5_000

/** Failures before anything was sent. */
const UNSENT: ReadonlySet<FetchFailureCode> = new Set(['invalid_url', 'not_https', 'reserved_address', 'dns', 'connect', 'tls'])

export function createGamClient(parts: GamClientParts): GamClient {
  const { networkCode, endpoint } = parts
  const urlOf = (path: string, query: Readonly<Record<string, string>> = {}) => {
    const search = new URLSearchParams(query).toString()
    return `${endpoint}/v1/${path}${search === '' ? '' : `?${search}`}`
  }
  const get = (name: string, query?: Readonly<Record<string, string>>) =>
    attempt(parts, urlOf(name, query), undefined, 'repeatable')
  const page: GamClient['page'] = async (collection, member, { filter, orderBy, after }) => {
    const answer = await get(collection, {
      pageSize: String(PAGE_SIZE),
      ...(filter !== undefined && { filter }),
      ...(orderBy !== undefined && { orderBy }),
      ...(after !== undefined && { pageToken: after }),
    })
    const items = answer[member] ?? []
    if (!Array.isArray(items)) throw new GamOutage(`Google Ad Manager answers without a list of ${member}`, 'none')
    const { nextPageToken: next } = answer
    return { items: items.filter(isObject), next: typeof next === 'string' && next !== '' ? next : undefined }
  }
  return {
    network: `networks/${networkCode}`,
    get,
    async find(name) {
      try {
        return await get(name)
      } catch (error) {
        if (error instanceof GamNotFound) return undefined
        throw error
      }
    },
    post: (path, body, kind) => attempt(parts, urlOf(path), body, kind),
    page,
    async list(collection, member, query = {}) {
      const all: Message[] = []
      let after: string | undefined
      for (let count = 0; count < MOST_PAGES; count += 1) {
        const { items, next } = await page(collection, member, { ...query, after })
        all.push(...items)
        if (next === undefined) return all
        after = next
      }
      throw new GamOutage(`${collection} has more than ${MOST_PAGES} pages`, 'none')
    },
  }
}

/** Repeats with back-off what may be repeated; a refused token is replaced once. */
async function attempt(
  parts: GamClientParts,
  url: string,
  body: Message | undefined,
  kind: 'repeatable' | 'creation',
): Promise<Message> {
  for (let count = 1; ; count += 1) {
    try {
      return await once(parts, url, body)
    } catch (error) {
      const isStale = error instanceof StaleToken
      const isOutage = error instanceof GamOutage && (kind === 'repeatable' || error.effect === 'none')
      if (count === ATTEMPTS || !(isStale || isOutage)) throw isStale ? error.refusal : error
      if (isOutage) await parts.pause(pauseMs(count, error.retryAfterSeconds))
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

async function once({ call, tokens }: GamClientParts, url: string, body: Message | undefined): Promise<Message> {
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${await tokenOf(tokens)}`,
    ...(body && { 'content-type': 'application/json' }),
  }
  const request = { headers, maxBytes: MAX_BYTES, signal: AbortSignal.timeout(TOTAL_MS) }
  const sent = call(url, body ? { ...request, method: 'POST', body: JSON.stringify(body) } : { ...request, method: 'GET' })
  const answer = await sent.catch((error: unknown) => {
    throw outageOf(error)
  })
  const text = answer.body.toString('utf8')
  if (answer.status === 200) return messageIn(text)
  const error = gamError(answer.status, text, answer.retryAfterSeconds)
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

function messageIn(text: string): Message {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (!isObject(value)) throw new GamOutage('Google Ad Manager answers with something that is no JSON object', 'unknown')
  return value
}
