import { canonicalUrl } from '../canonical-url.ts'

/** Only active providers are asked. */
export const PROVIDER_STATUSES = ['active', 'inactive', 'draining'] as const
type ProviderStatus = (typeof PROVIDER_STATUSES)[number]

/** A registered provider (trusted-match/provider-registration.json), judged by that schema before it comes here. */
export interface ProviderRegistration {
  readonly provider_id: string
  /** Base URL; the router appends `/context` and `/identity`. */
  readonly endpoint: string
  readonly context_match?: boolean
  readonly identity_match?: boolean
  readonly countries?: readonly string[]
  readonly uid_types?: readonly string[]
  readonly properties?: readonly string[]
  readonly timeout_ms?: number
  readonly priority?: number
  readonly tmpx_slots?: readonly string[]
  readonly status?: ProviderStatus
}

/** `timeout_ms` of a registration that names none (provider-registration.json). */
const DEFAULT_TIMEOUT_MS = 50

/** How long a provider is waited for: its own time-out, never beyond what the router has in all. Milliseconds. */
export function timeoutOf({ timeout_ms = DEFAULT_TIMEOUT_MS }: ProviderRegistration, deadlineMs: number): number {
  return Math.min(timeout_ms, deadlineMs)
}

/** Whether requests go to a provider. Draining and inactive ones receive none (specification, "Provider lifecycle"). */
export function isActive({ status = 'active' }: ProviderRegistration): boolean {
  return status === 'active'
}

/** The endpoint as signatures name it: as registered, without a trailing slash. */
export function signedEndpoint(endpoint: string): string {
  let end = endpoint.length
  while (endpoint[end - 1] === '/') end -= 1
  return endpoint.slice(0, end)
}

/** A registration with a fault, and the fault as a sentence. */
export interface FaultyRegistration {
  readonly provider: ProviderRegistration
  readonly fault: string
}

/**
 * What is wrong with registrations beside their schema: an identifier twice, an endpoint twice (compared in canonical form), an endpoint with user
 * information, query or fragment. Of two that contradict each other the later one is at fault.
 */
export function faultyRegistrations(providers: readonly ProviderRegistration[]): readonly FaultyRegistration[] {
  const ids = new Set<string>()
  const endpoints = new Map<string, string>()
  return providers.flatMap((provider) => {
    const { provider_id: id, endpoint } = provider
    const faults: string[] = []
    if (ids.has(id)) faults.push(`provider ${id} is registered twice; give each registration a provider_id of its own`)
    ids.add(id)
    const canonical = canonicalEndpoint(endpoint)
    if (canonical === undefined)
      faults.push(`the endpoint of provider ${id} has to be an absolute https URL without user information, query or fragment`)
    else {
      const other = endpoints.get(canonical)
      if (other !== undefined) faults.push(`providers ${other} and ${id} have the same endpoint; register it once`)
      endpoints.set(canonical, id)
    }
    return faults.map((fault) => ({ provider, fault }))
  })
}

/** The sentences of {@link faultyRegistrations}. */
export function registrationFaults(providers: readonly ProviderRegistration[]): readonly string[] {
  return faultyRegistrations(providers).map(({ fault }) => fault)
}

function canonicalEndpoint(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined
  const { protocol, username, password, search, hash } = new URL(endpoint)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  if (username !== '' || password !== '' || search !== '' || hash !== '' || endpoint.includes('@')) return undefined
  return canonicalUrl(signedEndpoint(endpoint)).targetUri
}
