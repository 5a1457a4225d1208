import { request } from 'node:https'
import type { LookupFunction } from 'node:net'
import { TLSSocket } from 'node:tls'

/** What a connection to an https address shows. */
export interface Probe {
  readonly status: number
  /** `TLSv1.3`. */
  readonly protocol: string
  readonly validTo: Date
  /** `Date` of the reply, and this machine's clock halfway between question and answer; Unix milliseconds. */
  readonly serverClock: number | undefined
  readonly ownClock: number
  readonly hsts: string | undefined
}

export interface ProbeOptions {
  readonly clock: () => Date
  /** PEM of an additional trust root. */
  readonly ca?: string
  readonly lookup?: LookupFunction
  /** Port to connect to instead of the URL's. */
  readonly port?: number
}

const TIMEOUT_MS = 10_000

/** Connects as a buyer would, certificate checked, and asks with GET. Rejects with the error of the connection. */
export function probe(url: URL, options: ProbeOptions): Promise<Probe> {
  return new Promise((resolve, reject) => {
    const asked = options.clock().getTime()
    const sent = request(
      url,
      {
        agent: false,
        minVersion: 'TLSv1.2',
        timeout: TIMEOUT_MS,
        ...(options.ca !== undefined && { ca: options.ca }),
        ...(options.lookup !== undefined && { lookup: options.lookup }),
        ...(options.port !== undefined && { port: options.port }),
      },
      (response) => {
        const { socket, headers, statusCode = 0 } = response
        response.resume()
        if (!(socket instanceof TLSSocket)) return reject(new Error('no TLS connection'))
        const date = Date.parse(headers.date ?? '')
        resolve({
          status: statusCode,
          protocol: socket.getProtocol() ?? 'unknown',
          validTo: new Date(socket.getPeerCertificate().valid_to),
          serverClock: Number.isNaN(date) ? undefined : date,
          ownClock: (asked + options.clock().getTime()) / 2,
          hsts: headers['strict-transport-security'],
        })
      },
    )
    sent.on('timeout', () => sent.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    sent.on('error', reject)
    sent.end()
  })
}
