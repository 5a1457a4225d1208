import type { Repeat } from '../../pipeline/repeat.ts'
import type { Outcome } from '../../pipeline/task.ts'
import type { ReceivedPost } from '../json-rpc/json-post.ts'
import type { Reply } from '../json-rpc/json-rpc.ts'

/** A call that was answered before, to the byte but for the id of its message, and the reply to it. */
export interface RepeatedCall {
  readonly repeat: Repeat
  readonly reply: Reply
}

/** Replies by the bytes of the calls that they answered, in a bounded memory. */
export interface RepeatedCalls {
  find(received: ReceivedPost, publicTenant: string | undefined): RepeatedCall | undefined
  /** Keeps a reply whose outcome the pipeline offers for repetition. */
  keep(received: ReceivedPost, publicTenant: string | undefined, outcome: Outcome, reply: Reply): void
}

interface Kept {
  readonly repeat: Repeat
  /** The reply after the id of its message. */
  readonly rest: Buffer
}

/** As many as the pipeline keeps answers. A longer question is rarely asked twice. */
const MAX_KEPT = 200
const MAX_BODY_BYTES = 4096

/**
 * The memory behind the lane for questions that an agent asks again and again: what the pipeline would find out about them is
 * known. Only of messages with a Bearer token and no other proof; whether the token and the answer still hold is asked of `repeat`.
 */
export function repeatedCalls(): RepeatedCalls {
  const kept = new Map<string, Kept>()
  return {
    find(received, publicTenant) {
      const split = splitOf(received)
      if (!split) return undefined
      const key = keyOf(received, publicTenant, split.rest)
      const known = kept.get(key)
      if (!known) return undefined
      const { repeat, rest } = known
      if (repeat.isGood()) return { repeat, reply: { status: 200, body: { head: `{"jsonrpc":"2.0","id":${split.id}`, rest } } }
      kept.delete(key)
      return undefined
    },
    keep(received, publicTenant, outcome, { body }) {
      if (!outcome.ok || !outcome.repeat || typeof body !== 'object') return
      const split = splitOf(received)
      if (!split) return
      const oldest = kept.size >= MAX_KEPT ? kept.keys().next().value : undefined
      if (oldest !== undefined) kept.delete(oldest)
      kept.set(keyOf(received, publicTenant, split.rest), { repeat: outcome.repeat, rest: body.rest })
    },
  }
}

/** A body without the id of its message; undefined for a call that has to be looked at whole. */
function splitOf({ body, credentials, signed, request }: ReceivedPost): Split | undefined {
  const isPlain = !signed && credentials.clientCertificate === undefined && credentials.authorization !== undefined
  const isModern = request.headers['mcp-method'] !== undefined
  return isPlain && !isModern && body.length <= MAX_BODY_BYTES ? withoutId(body.toString('latin1')) : undefined
}

/** The bytes decide, with all else that a reply depends on: who asks, of whom, and in which revision of MCP. */
function keyOf({ credentials, request }: ReceivedPost, publicTenant: string | undefined, rest: string): string {
  return `${credentials.authorization}\n${publicTenant ?? ''}\n${request.headers['mcp-protocol-version'] ?? ''}\n${rest}`
}

interface Split {
  /** JSON text of the id. */
  readonly id: string
  /** The message, one character a byte. */
  readonly rest: string
}

const ID = String.raw`(0|[1-9]\d{0,14}|"[A-Za-z0-9_-]{1,64}")`
const AT_HEAD = new RegExp(`^\\{"jsonrpc":"2\\.0","id":${ID},`)
const AT_TAIL = new RegExp(`,"jsonrpc":"2\\.0","id":${ID}\\}$`)

/**
 * A message without its id, where the MCP SDKs put it: at the very start of the object (Python) or at its very end (TypeScript). Anywhere else
 * it could be the id of something in the arguments. Undefined for other spellings.
 */
function withoutId(text: string): Split | undefined {
  const found = AT_HEAD.exec(text) ?? AT_TAIL.exec(text)
  const id = found?.[1]
  if (!found || id === undefined) return undefined
  // Where the id was cut out is part of the key.
  return { id, rest: `${text.slice(0, found.index)}\n${text.slice(found.index + found[0].length)}` }
}
