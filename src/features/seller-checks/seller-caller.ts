import { hash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { callTool, type ToolAnswer } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import { plainFetch } from '../../platform/net/plain-fetch.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { isObject } from '../../protocol/is-object.ts'

/** What a seller said to one call. */
export interface SellerAnswer {
  readonly payload: Readonly<Record<string, unknown>>
  /** Undefined where the call was not refused. `code` is that of AdCP, else `HTTP <status>` or `JSON-RPC <code>`. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined
  readonly requestHash: string
  readonly answerHash: string
  readonly ms: number
}

export interface CallOptions {
  /** Instead of the caller's own; null sends none. */
  readonly key?: string | null
}

/** Calls a task of the seller once. Throws where nothing answers. */
export type Caller = (task: string, request: object, options?: CallOptions) => Promise<SellerAnswer>

export const SELLER_POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 16 * 1024 * 1024,
  connectMs: 10_000,
  readMs: 30_000,
  totalMs: 30_000,
  contentTypes: undefined,
}

/** Calls without an answer after which no more are made: a seller that holds each for its whole time would hold the report for hours. */
const MOST_UNANSWERED = 3

/** A caller of the seller at `url` over MCP. Refusals are answers: it is for the check to say what was to be refused. */
export function sellerCaller(url: string, key: string | undefined): Caller {
  let unanswered = 0
  return async (task, request, options = {}) => {
    if (unanswered >= MOST_UNANSWERED) throw new Error(`${MOST_UNANSWERED} calls before it were not answered, so it was not made`)
    const token = options.key === undefined ? key : options.key
    const call = {
      ...{ url, tool: task, arguments: request, policy: SELLER_POLICY },
      ...(token !== undefined && token !== null && { authorization: `Bearer ${token}` }),
    }
    const startedAt = performance.now()
    const answer = await callTool(telling, call)
      .catch(refusedByTransport)
      .catch((error: unknown) => {
        unanswered += 1
        throw error
      })
    const ms = performance.now() - startedAt
    const payload = isObject(answer.payload) ? answer.payload : {}
    return {
      payload,
      refusal: refusalIn(answer),
      requestHash: sha256(request),
      answerHash: sha256(answer.payload),
      ms,
    }
  }
}

/** An answer of HTTP or JSON-RPC that refuses the call before it is one of AdCP. */
class TransportRefusal extends Error {
  readonly payload: unknown

  constructor(payload: unknown) {
    super('the transport refuses the call')
    this.payload = payload
  }
}

const telling: SafeFetch = async (address, request) => {
  const answer = await plainFetch(address, request)
  const body = foreignJsonIn(answer.body.toString('utf8'))
  const error = isObject(body) ? body.error : undefined
  if (answer.status >= 400) throw new TransportRefusal(refusalOf(`HTTP ${answer.status}`, error ?? body))
  if (isObject(error)) throw new TransportRefusal(refusalOf(`JSON-RPC ${String(error.code)}`, error))
  return answer
}

/** The refusal as AdCP words it, where its data holds one (AdCP "Error handling", transport errors). */
function refusalOf(code: string, error: unknown): object {
  const data = isObject(error) ? error.data : undefined
  const inner = adcpErrorIn(data) ?? adcpErrorIn(error)
  const message = isObject(error) && typeof error.message === 'string' ? error.message : ''
  return { adcp_error: inner ?? { code, message } }
}

function refusedByTransport(error: unknown): ToolAnswer {
  if (error instanceof TransportRefusal) return { isError: true, payload: error.payload }
  throw error
}

function refusalIn({ isError, payload }: ToolAnswer): SellerAnswer['refusal'] {
  const error = adcpErrorIn(payload)
  if (error !== undefined) return { code: String(error.code), message: String(error.message ?? '') }
  return isError ? { code: 'error', message: JSON.stringify(payload ?? null).slice(0, 300) } : undefined
}

/** An error that ends the task: `adcp_error`, or `errors` in an answer that has nothing else to give. */
function adcpErrorIn(payload: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(payload)) return undefined
  if (isObject(payload.adcp_error) && typeof payload.adcp_error.code === 'string') return payload.adcp_error
  const [first] = Array.isArray(payload.errors) ? payload.errors : []
  const isWhole = GIVEN.every((member) => payload[member] === undefined)
  return isWhole && isObject(first) && typeof first.code === 'string' ? first : undefined
}

/** Members of answers that have something to give beside errors. */
const GIVEN = ['products', 'media_buys', 'media_buy_id', 'media_buy_deliveries', 'accounts', 'creatives', 'formats']

function sha256(value: unknown): string {
  return hash('sha256', JSON.stringify(value) ?? '', 'hex')
}
