import { Refusal, TRANSPORT_ERROR } from './json-rpc.ts'

/** Which `Host` and `Origin` the transport answers to, against DNS rebinding (MCP, Transports, Security Warning). */
export interface HostPolicy {
  /** Host names, the port ignored; IPv6 in brackets. Pages of these hosts may call too. */
  readonly allowedHosts: readonly string[]
  /** Further origins of web pages that may call, e.g. `https://console.example`. */
  readonly allowedOrigins: readonly string[]
}

/** Any port may stand behind an allowed name, so the number has a bound. */
const MAX_SPELLINGS = 100

/**
 * Makes the check of `Host` and `Origin` headers. A request without `Origin` comes from no browser and passes that half.
 * The check throws Refusal 403.
 */
export function hostCheck(policy: HostPolicy): (host: string | undefined, origin: string | undefined) => void {
  const hosts = new Set(policy.allowedHosts.map((entry) => hostNameOf(`http://${entry}`)))
  const origins = new Set(policy.allowedOrigins.map((entry) => entry.toLowerCase()))
  // As clients spell it, which they do in few ways; what does not match is never stored.
  const spellings = new Set<string>()
  const isOurs = (host: string): boolean => {
    if (spellings.has(host)) return true
    if (!hosts.has(hostNameOf(`http://${host}`))) return false
    if (spellings.size < MAX_SPELLINGS) spellings.add(host)
    return true
  }
  return (host, origin) => {
    if (host === undefined || !isOurs(host)) {
      throw new Refusal(403, TRANSPORT_ERROR, 'The Host header names no host that this server answers to')
    }
    if (origin === undefined || origins.has(origin.toLowerCase())) return
    if (!/^https?:\/\//.test(origin) || !hosts.has(hostNameOf(origin))) {
      throw new Refusal(403, TRANSPORT_ERROR, 'The Origin header names no origin that may call this server')
    }
  }
}

/** Host name of a URL in its normal form; a name that is none matches nothing. */
function hostNameOf(url: string): string | symbol {
  return URL.canParse(url) ? new URL(url).hostname : Symbol('no host')
}
