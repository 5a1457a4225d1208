import type { IncomingMessage } from 'node:http'
import type { PeerOf } from '../../platform/net/peer.ts'
import type { TransportCredentials } from '../../security/auth/transport-credentials.ts'

/** What a request brings to prove who sent it, as far as it is there before any body is read: for routes that ask first, or have none. */
export function bodilessCredentials(request: IncomingMessage, peerOf: PeerOf): TransportCredentials {
  const { headers, rawHeaders, method = '', url = '' } = request
  const { address, certificate } = peerOf(request)
  return {
    authorization: headers.authorization,
    rawHeaders,
    method,
    target: url,
    body: undefined,
    remoteAddress: address,
    clientCertificate: certificate,
  }
}
