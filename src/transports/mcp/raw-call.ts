import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatch } from '../../pipeline/call.ts'
import { parseJson } from '../../platform/decode/parse-json.ts'
import { senderAt } from '../../platform/net/body-room.ts'
import type { PeerOf } from '../../platform/net/peer.ts'
import { AdcpError, type RecoveryOf } from '../../protocol/errors.ts'
import { readBody } from '../http/read-body.ts'
import { writeReply } from '../json-rpc/write-reply.ts'
import { structuredContent } from './envelope.ts'

export interface RawCallOptions {
  readonly dispatch: Dispatch
  readonly maxBodyBytes: number
  readonly peerOf: PeerOf
  readonly newRequestId: () => string
  /** Recovery classes for what is refused before a release is negotiated. */
  readonly recoveryOf: RecoveryOf
}

/**
 * Answers `POST …/<operation>` with the task's arguments as body: what the official grader's raw transport sends, so that it can
 * judge how URLs are canonicalised. Served while grading only; no AdCP client speaks it. Errors of tasks are HTTP 200, as on MCP.
 */
export function rawCallRoute(options: RawCallOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const requestId = options.newRequestId()
    const { headers, rawHeaders, method = '', url = '' } = request
    const { address: remoteAddress, certificate: clientCertificate } = options.peerOf(request)
    const body = await readBody(request, { maxBytes: options.maxBodyBytes, sender: senderAt(remoteAddress) })
    const { authorization } = headers
    const credentials = { authorization, rawHeaders, method, target: url, body, remoteAddress, clientCertificate }
    try {
      const tool = new URL(url, 'http://raw.invalid').pathname.split('/').at(-1) ?? ''
      const outcome = await options.dispatch({ requestId, transport: 'http', tool, arguments: parsed(body), credentials })
      if (!outcome.ok && outcome.error.http) throw outcome.error
      writeReply(response, { status: 200, body: JSON.stringify(structuredContent(outcome)) }, requestId)
    } catch (error) {
      const refusal = error instanceof AdcpError ? error : new AdcpError('INVALID_REQUEST', 'the request cannot be read')
      const { status, headers: own = {} } = refusal.http ?? { status: 400 }
      writeReply(
        response,
        {
          status,
          headers: own,
          body: JSON.stringify(structuredContent({ ok: false, error: refusal, recoveryOf: options.recoveryOf })),
        },
        requestId,
      )
    }
  }
}

/** The arguments; a body that is none is left to the checks behind the signature. */
function parsed(body: Uint8Array): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}
