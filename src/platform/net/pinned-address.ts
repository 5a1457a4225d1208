import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { FetchFailure } from './fetch-policy.ts'
import { type Lookup, lookupAll } from './lookup.ts'
import { classifyAddress, isReservedName } from './reserved-address.ts'
import type { TlsOptions } from './tls-connection.ts'

/** Loopback for development and tests; the process refuses to start with it in production mode. */
export interface DevelopmentAccess {
  /** Port of the local server that represents the web; undefined keeps the port of the URL. */
  readonly port?: number
  /** Plain HTTP to a loopback address, named as such. */
  readonly plainHttp?: boolean
}

export interface PinningOptions {
  readonly lookup?: Lookup | undefined
  /** PEM of the trust root; default: the roots of the runtime. */
  readonly ca?: string | undefined
  readonly development?: DevelopmentAccess | undefined
  readonly connectMs: number
}

/** Where a connection to a host goes. */
export interface PinnedAddress {
  readonly address: string
  readonly port: number
  /** The name for SNI and the check of the certificate; empty for a literal address. */
  readonly servername: string
}

/** Host and port as a URL names them, with brackets around an IPv6 address. */
export interface NamedHost {
  readonly hostname: string
  /** Text of a URL: empty for the default port of the protocol. */
  readonly port: string
  readonly protocol: string
}

/**
 * Resolves a host once and judges every one of its addresses; the connection then goes to the address that was judged, so that no second look-up can
 * answer otherwise. Literal addresses are judged the same way. Throws FetchFailure `reserved_address` and `dns`.
 */
export async function pinnedAddress({ hostname, port, protocol }: NamedHost, options: PinningOptions): Promise<PinnedAddress> {
  const literal = unbracketed(hostname)
  const isLiteral = isIP(literal) !== 0
  if (!isLiteral && isReservedName(hostname)) throw new FetchFailure('reserved_address', 'the host name is reserved')
  const name = hostname.replace(/\.$/, '')
  const addresses = isLiteral ? [literal] : await resolve(name, options)
  const classes = addresses.map(classifyAddress)
  const allowed = options.development ? ['public', 'loopback'] : ['public']
  if (!classes.every((kind) => allowed.includes(kind)))
    throw new FetchFailure('reserved_address', 'the host has a reserved address')
  const address = addresses[0]
  if (address === undefined) throw new FetchFailure('dns', 'the host name has no address')
  const substitute = classes[0] === 'loopback' ? options.development?.port : undefined
  const defaultPort = protocol === 'https:' ? 443 : 80
  return { address, port: substitute ?? (Number(port) || defaultPort), servername: isLiteral ? '' : name }
}

/** Settings of the TLS connections of one client. Made once: a context for each connection would read the trust roots each time. */
export function pinnedTls({ ca, connectMs }: PinningOptions, ALPNProtocols: readonly string[]): TlsOptions {
  return {
    connectMs,
    ALPNProtocols,
    secureContext: createSecureContext({ minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) }),
  }
}

async function resolve(hostname: string, options: PinningOptions): Promise<readonly string[]> {
  const lookup = options.lookup ?? lookupAll
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new FetchFailure('dns', 'the name look-up timed out')), options.connectMs)
  })
  try {
    return await Promise.race([lookup(hostname), tooLate])
  } catch (error) {
    throw error instanceof FetchFailure ? error : new FetchFailure('dns', 'the host name does not resolve', error)
  } finally {
    clearTimeout(timer)
  }
}

function unbracketed(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
