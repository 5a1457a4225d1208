import type { Socket } from 'node:net'
import { type PinningOptions, pinnedAddress, pinnedTls } from './pinned-address.ts'
import { connectTls } from './tls-connection.ts'
import type { TurnGate } from './turn-gate.ts'
import { buildConnector, Client } from './undici-clients.ts'

export interface ConnectorOptions extends PinningOptions {
  /** Limits the connections to one address at a time; undefined: no limit. */
  readonly addresses?: TurnGate | undefined
}

/** An undici connector to the address that {@link pinnedAddress} judged. SNI and certificate check keep the name. */
export function pinnedConnector(options: ConnectorOptions): buildConnector.connector {
  const tls = pinnedTls(options, ['http/1.1'])
  const connectPlain = buildConnector({ timeout: options.connectMs })
  const open = async (target: buildConnector.Options): Promise<Socket> => {
    const { address, port, servername } = await pinnedAddress(target, options)
    const leave = await options.addresses?.enter(address)
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
