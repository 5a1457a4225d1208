import type { IncomingMessage } from 'node:http'
import { MOST_JSON_BYTES } from '../operator/size-limits.ts'
import { parseJsonInTurns } from '../platform/decode/foreign-json.ts'
import { senderAt } from '../platform/net/body-room.ts'
import { AdcpError } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'
import { readBody } from '../transports/http/read-body.ts'

/** The members of a JSON body; none when it is empty. Throws INVALID_REQUEST, and what reading a body throws. */
export async function readMembers(
  request: IncomingMessage,
  address: string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readBody(request, { maxBytes: MOST_JSON_BYTES, sender: senderAt(address) })
  if (bytes.length === 0) return {}
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new AdcpError('INVALID_REQUEST', 'the Content-Type must be application/json', { http: { status: 415 } })
  const value: unknown = await parseJsonInTurns(bytes)
  if (!isObject(value)) throw new AdcpError('INVALID_REQUEST', 'the body must be a JSON object')
  return value
}
