import { isIP } from 'node:net'
import { withoutTrailing } from '../../domain/without-trailing.ts'
import { FetchFailure } from './fetch-policy.ts'
import { type Lookup, lookupAll } from './lookup.ts'
import { readBody, readInParts } from './read-body.ts'
import { classifyAddress, classifyHost } from './reserved-address.ts'
import { asFailure } from './safe-fetch.ts'

export interface SafePostOptions {
  readonly userAgent: string
  readonly lookup?: Lookup
  /** PEM of an additional trust root. */
  readonly ca?: string
  readonly times?: Partial<PostTimes>
}

/** Milliseconds. */
export interface PostTimes {
  readonly connectMs: number
  /** Longest silence of the receiver. */
  readonly readMs: number
  /** From the look-up to the last byte of the answer. */
  readonly totalMs: number
}

export interface PostRequest {
  readonly headers: Readonly<Record<string, string>>
  /** Sent as these bytes. */
  readonly body: Uint8Array
  /** Lets the request reach this machine, over plain HTTP too; nothing else that is reserved. */
  readonly loopback: boolean
  readonly signal?: AbortSignal
}

export interface PostAnswer {
  readonly status: number
  readonly retryAfterSeconds: number | undefined
  /** The beginning of the answer's body, at most 16 kB. */
  readonly text: string
}

/** One POST under the outbound policy. Any HTTP answer is an answer, redirects included; everything else throws FetchFailure. */
export type SafePost = (url: string, request: PostRequest) => Promise<PostAnswer>

const TIMES: PostTimes = { connectMs: 5_000, readMs: 10_000, totalMs: 15_000 }
/** The answer's body means nothing to us; a little of it is read so that the receiver is not cut off in the middle of it. */
const MAX_ANSWER_BYTES = 16 * 1024

/**
 * The way out for POST requests to addresses that others name: https only, the name resolved once and pinned, reserved ranges
 * refused, no redirect followed, times and sizes bounded.
 */
export function createSafePost(options: SafePostOptions): SafePost {
  const times = { ...TIMES, ...options.times }
  return async (address, request) => {
    const url = postUrl(address, request.loopback)
    const { clientOf, pinnedConnector } = await import('./pinned-connector.ts')
    const deadline = AbortSignal.timeout(times.totalMs)
    const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline
    const connect = pinnedConnector({
      connectMs: times.connectMs,
      ...(request.loopback && { development: {} }),
      ...(options.lookup && { lookup: options.lookup }),
      ...(options.ca !== undefined && { ca: options.ca }),
    })
    const client = clientOf(connectOrigin(url), connect, times.readMs)
    try {
      const response = await client.request({
        method: 'POST',
        path: url.pathname + url.search,
        headers: { ...request.headers, host: url.host, 'user-agent': options.userAgent },
        body: request.body,
        ...readInParts(),
        signal,
      })
      const body = await readBody(response.body, '', { maxBytes: MAX_ANSWER_BYTES, whenLarger: 'cut' })
      const retryAfterSeconds = seconds(response.headers['retry-after'])
      return { status: response.statusCode, retryAfterSeconds, text: body.toString('utf8') }
    } catch (error) {
      throw asFailure(error, deadline.aborted)
    } finally {
      await client.destroy()
    }
  }
}

/**
 * Parses the URL of a POST and refuses what can be refused without a look-up. Throws FetchFailure. Plain HTTP is for this machine
 * alone, and only with `loopback`. Any port may be named: what is reached is a public address in any case.
 */
export function postUrl(text: string, loopback: boolean): URL {
  if (!URL.canParse(text)) throw new FetchFailure('invalid_url', 'the address is not a URL')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') throw new FetchFailure('invalid_url', 'the address carries user information')
  if (url.hash !== '') throw new FetchFailure('invalid_url', 'the address carries a fragment')
  const here = isThisMachine(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && here && loopback))
    throw new FetchFailure('not_https', 'the address is not https')
  if (here && loopback) return url
  if (classifyHost(url.hostname) !== 'public') throw new FetchFailure('reserved_address', 'the address is reserved')
  // A name of one label is one of a local network: search domains of the machine complete it.
  if (isIP(unbracketed(url.hostname)) === 0 && !withoutTrailing(url.hostname, '.').includes('.'))
    throw new FetchFailure('reserved_address', 'the host has no domain')
  return url
}

/**
 * Checks an address at the moment somebody names it, as the post itself will: also by what its name resolves to. A name that does not resolve
 * yet is let through, since every attempt checks again. Throws FetchFailure.
 */
export async function checkPostAddress(
  text: string,
  loopback: boolean,
  lookup: Lookup = lookupAll,
  waitMs = 1_000,
): Promise<void> {
  const url = postUrl(text, loopback)
  if (isIP(unbracketed(url.hostname)) !== 0 || isThisMachine(url.hostname)) return
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), waitMs)
  })
  const addresses = await Promise.race([lookup(url.hostname.replace(/\.$/, '')).catch(() => []), patience]).finally(() =>
    clearTimeout(timer),
  )
  const allowed = loopback ? ['public', 'loopback'] : ['public']
  if (!addresses.every((address) => allowed.includes(classifyAddress(address))))
    throw new FetchFailure('reserved_address', 'the host has a reserved address')
}

/** `localhost` is pinned to an address, because what it resolves to is a matter of the machine's own files. */
function connectOrigin(url: URL): string {
  return url.hostname === 'localhost' ? url.origin.replace('//localhost', '//127.0.0.1') : url.origin
}

export function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || classifyHost(hostname) === 'loopback'
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

function seconds(value: string | string[] | undefined): number | undefined {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}
