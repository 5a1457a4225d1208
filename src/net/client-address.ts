import ipaddr from 'ipaddr.js'

/** Networks whose `X-Forwarded-For` is believed, as CIDR or single addresses. */
export type TrustedProxies = readonly string[]

/**
 * The address that a request came from: the peer's, or, when the peer is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not itself a trusted proxy. What lies before that is the caller's own claim.
 */
export function clientAddress(peer: string | undefined, forwardedFor: string | undefined, proxies: TrustedProxies): string {
  const trusted = proxies.map(parseNetwork)
  const hops = (forwardedFor ?? '').split(',').map((hop) => hop.trim().replace(/^\[(.*)\](:\d+)?$/, '$1'))
  let address = peer ?? ''
  while (isTrusted(address, trusted)) {
    const next = hops.pop()
    if (next === undefined || !ipaddr.isValid(next)) break
    address = next
  }
  return address
}

/** Key of a rate limit for an address: IPv4 whole, IPv6 by its /64, which one caller holds all of. */
export function addressBucket(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isTrusted(address: string, networks: readonly Network[]): boolean {
  if (networks.length === 0 || !ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return networks.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}
