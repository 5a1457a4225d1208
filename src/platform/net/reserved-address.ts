import { BlockList, isIP } from 'node:net'
import { withoutTrailing } from '../../domain/without-trailing.ts'

/**
 * Ranges that no outbound fetch may reach: not globally routable, or a tunnel whose inner address cannot be judged.
 * Source: IANA special-purpose address registries (RFC 6890 and successors).
 */
const RESERVED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** One list for each family, so that no rule of the one is applied to addresses of the other. */
const RESERVED_LISTS = { ipv4: listOf('ipv4', RESERVED), ipv6: listOf('ipv6', RESERVED) }
const LOOPBACK = listOf('ipv4', ['127.0.0.0/8'])

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    if (network.includes(':') === (family === 'ipv6')) list.addSubnet(network, Number(bits), family)
  }
  return list
}

/** What an address is to us. */
export type AddressClass = 'public' | 'loopback' | 'reserved'

/**
 * Classifies an IP address in text form. An IPv4 address inside IPv6 (`::ffff:a.b.c.d`) is judged as the IPv4 address
 * that a connection would reach. What is no address is reserved.
 */
export function classifyAddress(text: string): AddressClass {
  if (text.includes('%')) return 'reserved'
  const version = isIP(text)
  if (version === 0) return 'reserved'
  const address = version === 4 ? text : (mappedIpv4(text) ?? text)
  if (address.includes(':')) {
    if (new URL(`http://[${address}]`).hostname === '[::1]') return 'loopback'
    return RESERVED_LISTS.ipv6.check(address, 'ipv6') ? 'reserved' : 'public'
  }
  if (LOOPBACK.check(address, 'ipv4')) return 'loopback'
  return RESERVED_LISTS.ipv4.check(address, 'ipv4') ? 'reserved' : 'public'
}

/** Classifies the host of a URL, as `URL.hostname` has it: an address by itself, a name by whether it may lead outside; where a name leads is judged when it is resolved. */
export function classifyHost(hostname: string): AddressClass {
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0) return classifyAddress(literal)
  return isReservedName(hostname) ? 'reserved' : 'public'
}

/** The IPv4 address inside `::ffff:a.b.c.d`, however it is written; undefined for any other IPv6 address (RFC 4291 §2.5.5.2). */
function mappedIpv4(text: string): string | undefined {
  // URL writes every IPv6 address in one form (WHATWG URL, IPv6 serializer).
  const groups = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${text}]`).hostname)
  if (!groups) return undefined
  const [high, low] = [Number.parseInt(groups[1] ?? '', 16), Number.parseInt(groups[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Characters of a host name in text form, the root's dot not counted (RFC 1035 §2.3.4). */
const LONGEST_NAME = 253

/** Names that never lead outside, cloud metadata hosts, and what is too long for a name; trailing root dots make no difference. */
export function isReservedName(hostname: string): boolean {
  const plain = withoutTrailing(hostname, '.')
  if (plain.length > LONGEST_NAME) return true
  const name = plain.toLowerCase()
  return name === '' || /(^|\.)(localhost|local|internal|localdomain|home\.arpa|onion)$/.test(name) || METADATA_HOSTS.has(name)
}

const METADATA_HOSTS: ReadonlySet<string> = new Set(['metadata', 'metadata.goog', 'instance-data'])
