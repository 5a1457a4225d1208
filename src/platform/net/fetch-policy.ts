import { getDomain } from 'tldts'
import { classifyHost } from './reserved-address.ts'

/** Why a fetch failed. Stable codes; their text is for the operator, not for the caller who named the URL. */
export type FetchFailureCode =
  | 'invalid_url'
  | 'not_https'
  | 'reserved_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'redirect_refused'
  | 'too_many_redirects'
  | 'too_large'
  | 'wrong_content_type'
  | 'bad_encoding'
  | 'network'
  | 'aborted'

/** A fetch that was refused or failed before a usable answer. */
export class FetchFailure extends Error {
  readonly code: FetchFailureCode

  constructor(code: FetchFailureCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'FetchFailure'
    this.code = code
  }
}

/**
 * Distinguishes a host that refuses from one that does not exist or is in a private network. Not a fault of its certificate: only public hosts are asked for one.
 */
const UNREACHABLE: ReadonlySet<FetchFailureCode> = new Set([
  'reserved_address',
  'dns',
  'connect',
  'timeout',
  'network',
  'aborted',
])

/**
 * Why a fetch failed, as text for the caller who named the address: one text for every host that cannot be reached, so that it does not reveal
 * what is at addresses that only this server reaches. `otherwise` is for what is no failure of a fetch.
 */
export function publicReason(error: unknown, otherwise: string): string {
  if (!(error instanceof FetchFailure)) return otherwise
  return UNREACHABLE.has(error.code) ? 'the host cannot be reached' : error.message
}

/** What one kind of document may cost and where it may lead. Times in milliseconds, sizes in bytes after decompression. */
export interface FetchPolicy {
  readonly redirects: 'none' | 'same-registrable-domain' | 'any'
  readonly maxRedirects: number
  readonly maxBytes: number
  readonly connectMs: number
  /** Longest silence of the server. */
  readonly readMs: number
  /** From the first look-up to the last byte, redirects included. */
  readonly totalMs: number
  /** Media types that are accepted with a 200; undefined accepts any. */
  readonly contentTypes: readonly string[] | undefined
}

const TIMES = { connectMs: 10_000, readMs: 10_000, totalMs: 30_000 }

/** Adagents.json at its well-known address: redirects within the publisher's registrable domain (AdCP managed networks page). */
export const WELL_KNOWN_POLICY: FetchPolicy = {
  ...TIMES,
  redirects: 'same-registrable-domain',
  maxRedirects: 3,
  maxBytes: 5_000_000,
  contentTypes: ['application/json'],
}

/** The target of an authoritative_location: the named URL is the declaration, so a redirect changes it and is refused. */
export const AUTHORITATIVE_POLICY: FetchPolicy = {
  ...WELL_KNOWN_POLICY,
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 20_000_000,
}

/** Ads.txt may move anywhere within a bounded chain (IAB ads.txt 1.1 §3.1). */
export const ADS_TXT_POLICY: FetchPolicy = {
  ...TIMES,
  redirects: 'any',
  maxRedirects: 5,
  maxBytes: 1_048_576,
  contentTypes: undefined,
}

/** Why an http address is refused where those of this machine are let through. */
const ONLY_LITERAL = 'over http only 127.0.0.1 and [::1] are read, no other address and no name such as localhost'

/**
 * Parses and checks the URL of a first request or a redirect target. `plainLoopback` lets `http` through where the host is a loopback address
 * itself, no name. Throws FetchFailure.
 */
export function checkedUrl(text: string, base?: URL, plainLoopback = false): URL {
  if (!URL.canParse(text, base?.href)) throw new FetchFailure('invalid_url', 'the address is not a URL')
  const url = new URL(text, base?.href)
  if (url.protocol !== 'https:' && !(plainLoopback && isPlainLoopback(url)))
    throw new FetchFailure('not_https', plainLoopback ? ONLY_LITERAL : 'the address is not https')
  if (url.username !== '' || url.password !== '') throw new FetchFailure('invalid_url', 'the address carries user information')
  url.hash = ''
  return url
}

/** Whether an address is `http` at a loopback address itself, no name. */
export function isPlainLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && classifyHost(hostname) === 'loopback'
}

/**
 * Whether a redirect from a chain that began at `origin` may go to `target`. Always judged against the origin, so that a
 * chain cannot walk away step by step. The Public Suffix List's private section counts: two tenants of one hosting
 * suffix are strangers.
 */
export function mayRedirect(policy: FetchPolicy, origin: URL, target: URL): boolean {
  if (policy.redirects === 'none') return false
  if (policy.redirects === 'any') return true
  if (origin.hostname === target.hostname) return true
  const registrable = registrableDomain(origin.hostname)
  return registrable !== undefined && registrable === registrableDomain(target.hostname)
}

/** Registrable domain (eTLD+1) by the Public Suffix List with its private section; undefined for a bare suffix or an address. */
export function registrableDomain(hostname: string): string | undefined {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? undefined
}
