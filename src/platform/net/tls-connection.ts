import { isIP } from 'node:net'
import { type ConnectionOptions, checkServerIdentity, connect, type SecureContext, type TLSSocket } from 'node:tls'
import { FetchFailure } from './fetch-policy.ts'

export interface TlsTarget {
  /** IP address to connect to. */
  readonly address: string
  readonly port: number
  /** Name that the certificate must be valid for and that is sent as SNI; empty for a literal address. */
  readonly servername: string
}

export interface TlsOptions {
  readonly secureContext: SecureContext
  readonly ALPNProtocols: readonly string[]
  /** Longest time until the handshake is done. */
  readonly connectMs: number
}

/**
 * Opens TLS to an address and gives the socket when the certificate has been checked against the name. Rejects with FetchFailure `timeout`
 * or with the error of the connection.
 *
 * Node translates the whole certificate chain into objects before it asks whether the name matches, which takes a third of a handshake's
 * processor time. Here OpenSSL compares the name with the certificate itself.
 */
export function connectTls(target: TlsTarget, options: TlsOptions): Promise<TLSSocket> {
  const { address, port, servername } = target
  const settings: ConnectionOptions = {
    host: address,
    port,
    servername,
    secureContext: options.secureContext,
    ALPNProtocols: [...options.ALPNProtocols],
    checkServerIdentity: (name) => identityError(socket, name),
  }
  const socket = connect(settings)
  Object.defineProperty(socket, 'getPeerCertificate', { value: () => ({}) })
  socket.setKeepAlive(true, 60_000).setNoDelay(true)
  return new Promise((resolve, reject) => {
    let isSettled = false
    const giveUp = () => {
      if (!isSettled) socket.destroy(new FetchFailure('timeout', 'the connection took too long'))
    }
    // What has arrived while this process itself was busy is read first.
    const timer = setTimeout(() => setImmediate(giveUp), options.connectMs)
    const settle = () => {
      isSettled = true
      clearTimeout(timer)
      socket.off('error', fail).off('close', close)
    }
    const fail = (error: Error) => {
      settle()
      // A socket that is given up may report another error while it closes.
      socket.on('error', () => undefined)
      reject(error)
    }
    const close = () => fail(new FetchFailure('connect', 'the connection was closed'))
    socket.once('error', fail).once('close', close)
    socket.once('secureConnect', () => {
      settle()
      resolve(socket)
    })
  })
}

/** Why the certificate is not one of `name`; undefined when it is. The error is Node's own. */
function identityError(socket: TLSSocket, name: string): Error | undefined {
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return new FetchFailure('tls', 'the server has shown no certificate')
  const matches = isIP(name) === 0 ? certificate.checkHost(name, { partialWildcards: false }) : certificate.checkIP(name)
  return matches === undefined ? checkServerIdentity(name, certificate.toLegacyObject()) : undefined
}
