import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Networks whose `X-Forwarded-For` is believed, as CIDR or single addresses. */
export type TrustedProxies = readonly string[]

/**
 * The address that a request came from: the peer's, or, when the peer is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not itself a trusted proxy. What lies before that is the caller's own claim.
 */
export function clientAddress(peer: string | undefined, forwardedFor: string | undefined, proxies: TrustedProxies): string {
  return addressBehind(peer, forwardedFor, trustedProxy(proxies)) ?? ''
}

/** The same with the proxies read once, for every request. */
export function addressBehind(
  peer: string | undefined,
  forwardedFor: string | readonly string[] | undefined,
  isProxy: (address: string) => boolean,
): string | undefined {
  if (peer === undefined || !isProxy(peer)) return peer
  const hops = [forwardedFor ?? ''].flat().join(',').split(',')
  let address = peer
  while (isProxy(address)) {
    const next = hops
      .pop()
      ?.trim()
      .replace(/^\[(.*)\](:\d+)?$/, '$1')
    if (next === undefined || !ipaddr.isValid(next)) break
    address = next
  }
  return address
}

/** Whether an address is one of the proxies. Throws for a network that is none. */
export function trustedProxy(proxies: TrustedProxies): (address: string) => boolean {
  const networks = proxies.map(parseNetwork)
  return (address) => isTrusted(address, networks)
}

/** Key of a rate limit for an address: IPv4 whole, IPv6 by its /64, which one caller holds all of. */
export function addressBucket(address: string): string {
  if (isIPv4(address)) return address
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
