import { isIP, type Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { buildConnector, Client } from 'undici'
import { FetchFailure } from './fetch-policy.ts'
import { type Lookup, lookupAll } from './lookup.ts'
import { classifyAddress, isReservedName } from './reserved-address.ts'
import { connectTls, type TlsOptions } from './tls-connection.ts'
import type { TurnGate } from './turn-gate.ts'

/** Loopback for development and tests; the process refuses to start with it in production mode. */
export interface DevelopmentAccess {
  /** Port of the local server that represents the web; undefined keeps the port of the URL. */
  readonly port?: number
}

export interface ConnectorOptions {
  readonly lookup?: Lookup | undefined
  /** PEM of the trust root; default: the roots of the runtime. */
  readonly ca?: string | undefined
  readonly development?: DevelopmentAccess | undefined
  readonly connectMs: number
  /** Offers HTTP/2 beside HTTP/1.1. */
  readonly http2?: boolean | undefined
  /** Limits the connections to one address at a time; undefined: no limit. */
  readonly addresses?: TurnGate | undefined
}

/**
 * An undici connector that resolves the name itself, refuses the host when any of its addresses is reserved, and
 * connects to an address it has checked: there is no second look-up that could answer otherwise. SNI and certificate
 * check keep the name. Literal addresses are checked the same way.
 */
export function pinnedConnector(options: ConnectorOptions): buildConnector.connector {
  const tls: TlsOptions = {
    connectMs: options.connectMs,
    ALPNProtocols: options.http2 === true ? ['http/1.1', 'h2'] : ['http/1.1'],
    // Made once: a context for each connection would read the trust roots each time.
    secureContext: createSecureContext({ minVersion: 'TLSv1.2', ...(options.ca !== undefined && { ca: options.ca }) }),
  }
  const connectPlain = buildConnector({ timeout: options.connectMs })
  const open = async (target: buildConnector.Options): Promise<Socket> => {
    const { address, loopback } = await pinnedAddress(target.hostname, options)
    const leave = await options.addresses?.enter(address)
    const defaultPort = target.protocol === 'https:' ? 443 : 80
    const port =
      loopback && options.development?.port !== undefined ? options.development.port : Number(target.port) || defaultPort
    const servername = isIP(unbracketed(target.hostname)) === 0 ? target.hostname.replace(/\.$/, '') : ''
    try {
      const socket =
        target.protocol === 'https:'
          ? await connectTls({ address, port, servername }, tls)
          : await connected(connectPlain, { ...target, hostname: address, host: address, port: String(port) })
      // The turn of the address lasts as long as the connection.
      if (leave) socket.once('close', leave)
      return socket
    } catch (error) {
      leave?.()
      throw error
    }
  }
  return (target, callback) => {
    open(target).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error('look-up failed'), null),
    )
  }
}

function connected(connect: buildConnector.connector, target: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => connect(target, (error, socket) => (socket ? resolve(socket) : reject(error))))
}

/** A client of one origin. The server may be silent for `readMs` milliseconds at a time. */
export function clientOf(origin: string, connect: buildConnector.connector, readMs: number): Client {
  return new Client(origin, { connect, headersTimeout: readMs, bodyTimeout: readMs, maxHeaderSize: 16_384 })
}

async function pinnedAddress(hostname: string, options: ConnectorOptions): Promise<{ address: string; loopback: boolean }> {
  const literal = unbracketed(hostname)
  const isLiteral = isIP(literal) !== 0
  if (!isLiteral && isReservedName(hostname)) throw new FetchFailure('reserved_address', 'the host name is reserved')
  const addresses = isLiteral ? [literal] : await resolve(hostname.replace(/\.$/, ''), options)
  const classes = addresses.map(classifyAddress)
  const allowed = options.development ? ['public', 'loopback'] : ['public']
  if (!classes.every((kind) => allowed.includes(kind)))
    throw new FetchFailure('reserved_address', 'the host has a reserved address')
  const address = addresses[0]
  if (address === undefined) throw new FetchFailure('dns', 'the host name has no address')
  return { address, loopback: classes[0] === 'loopback' }
}

async function resolve(hostname: string, options: ConnectorOptions): Promise<readonly string[]> {
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
