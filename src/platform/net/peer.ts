import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { addressBehind, type TrustedProxies, trustedProxy } from './client-address.ts'
import { type ClientCertificate, clientCertificateOf } from './client-certificate.ts'
import type { Mode } from './mode.ts'

/**
 * How a request came: over our own TLS, over that of a trusted proxy, from this very machine while developing, or readable for
 * everybody on the way.
 */
export type Channel = 'tls' | 'proxy' | 'loopback' | 'plain'

/** Who is at the other end, as far as the connection proves it. */
export interface Peer {
  /** The caller's address: the socket's, or behind a trusted proxy the one that the proxy names. */
  readonly address: string | undefined
  readonly channel: Channel
  /** Of our own TLS connection; never from a header. */
  readonly certificate: ClientCertificate | undefined
}

export type PeerOf = (request: IncomingMessage) => Peer

export interface PeerOptions {
  readonly mode: Mode
  readonly trustedProxies: TrustedProxies
}

/** What a proxy adds: behind one, the peer on loopback is not the caller. */
const FORWARDING = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip']

/** Makes the function that judges where a request comes from. Cheap: it runs with every request. */
export function peerOf(options: PeerOptions): PeerOf {
  const isProxy = trustedProxy(options.trustedProxies)
  const certificates = new WeakMap<Socket, ClientCertificate | undefined>()

  return (request) => {
    const { socket, headers } = request
    const address = addressBehind(socket.remoteAddress, headers['x-forwarded-for'], isProxy)
    if (!(socket instanceof TLSSocket)) return { address, channel: channelOf(request, isProxy, options), certificate: undefined }
    if (!certificates.has(socket)) certificates.set(socket, clientCertificateOf(socket))
    return { address, channel: 'tls', certificate: certificates.get(socket) }
  }
}

function channelOf({ socket, headers }: IncomingMessage, isProxy: (address: string) => boolean, { mode }: PeerOptions): Channel {
  const { remoteAddress = '' } = socket
  // A list means that a header came in from outside and the proxy added its own to it: which of them is true?
  if (isProxy(remoteAddress) && headers['x-forwarded-proto'] === 'https') return 'proxy'
  const isHere = mode === 'development' && isLoopback(remoteAddress) && FORWARDING.every((name) => headers[name] === undefined)
  return isHere ? 'loopback' : 'plain'
}

/** Whether a socket's address is this machine's own. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address)
}

/** Headers that are credentials, or claim to be. */
const CREDENTIALS = ['authorization', 'x-adcp-auth', 'signature', 'signature-input', 'cookie']

/** Whether a request brings credentials of any kind, valid or not. */
export function bringsCredentials({ headers }: IncomingMessage): boolean {
  return CREDENTIALS.some((name) => headers[name] !== undefined)
}
