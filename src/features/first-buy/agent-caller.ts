import { decideRecovery, type RetrySchedule } from '../../domain/recovery/recovery-decision.ts'
import { foreignJson, foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { callTool, type ToolAnswer } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import { plainFetch } from '../../platform/net/plain-fetch.ts'
import type { FetchAnswer, SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { Schemas } from '../../protocol/schemas.ts'

/** Calls a task of the agent and returns its payload, which its official response schema allows. Throws AdcpError. */
export type CallAgent = <Answer>(task: string, request: object) => Promise<Answer>

const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  // A page of products of a large publisher is a hundredth of it.
  maxBytes: 16 * 1024 * 1024,
  connectMs: 10_000,
  readMs: 30_000,
  totalMs: 60_000,
  contentTypes: undefined,
}

/** A call is repeated at most so often, in a command that a person waits for. */
const MAX_RETRIES = 3
/** Before the first repetition where the agent names no delay; twice as long before each further one. */
const BACKOFF_MS = 1_000

/** What a caller waits with. */
export interface CallerParts {
  readonly schemas: Schemas
  readonly sleep: (ms: number) => Promise<void>
  /** A longer delay is not waited for, in milliseconds. */
  readonly waitMs: number
}

/** A caller of one agent over MCP, with a key. Transient errors are waited out and the very same call is repeated, as far as the parts allow. */
export function agentCaller(url: string, key: string, { schemas, sleep, waitMs }: CallerParts): CallAgent {
  const registered = (code: string) => schemas.manifest.error_codes[code]?.recovery
  return async <Answer>(task: string, request: object): Promise<Answer> => {
    const ask = () => answerOf(url, key, task, request)
    let answer = await ask()
    for (let retriesAttempted = 0; answer.isError; ) {
      const error = errorOf(answer.payload)
      const decision = decideRecovery(error ?? {}, registered, { retriesAttempted, maxRetries: MAX_RETRIES })
      const delayMs = decision.schedule && delayOf(decision.schedule, retriesAttempted)
      if (error === undefined || delayMs === undefined || delayMs > waitMs) throw errorIn(task, answer.payload)
      await sleep(delayMs)
      retriesAttempted = decision.retriesAttempted
      answer = await ask()
    }
    const [issue] = schemas.response(task)(answer.payload)
    if (issue)
      throw new AdcpError(
        'INVALID_REQUEST',
        `${task}: the answer breaks its official schema at ${issue.pointer || '/'}: ${issue.message}`,
      )
    // The schema above is the one that the type was made from.
    return answer.payload as Answer
  }
}

function delayOf(schedule: RetrySchedule, retriesAttempted: number): number {
  return schedule.kind === 'retry_after' ? schedule.minimumDelaySeconds * 1_000 : BACKOFF_MS * 2 ** retriesAttempted
}

function answerOf(url: string, key: string, tool: string, request: object): Promise<ToolAnswer> {
  const call = { url, tool, arguments: request, policy: POLICY, authorization: `Bearer ${key}` }
  return callTool(refusing(url), call).catch((error: unknown) => {
    if (error instanceof TransportError) return { isError: true, payload: error.payload }
    throw error instanceof AdcpError ? error : unreachable(url, tool, error)
  })
}

/** An AdCP error in the data of a JSON-RPC error: a limit, or an agent that is not there for the moment (AdCP "Error handling", transport errors). */
class TransportError extends Error {
  readonly payload: unknown

  constructor(payload: unknown) {
    super('the transport answers with an AdCP error')
    this.payload = payload
  }
}

function dataIn(body: Buffer): unknown {
  return member(member(foreignJsonIn(body.toString('utf8')), 'error'), 'data')
}

/** Statuses that refuse a call carry their reason in the body, which `callTool` does not read. */
function refusing(url: string): SafeFetch {
  return async (address, request) => {
    const answer = await plainFetch(address, request)
    if (answer.status < 400) return answer
    const payload = dataIn(answer.body)
    if ((answer.status === 429 || answer.status === 503) && errorOf(payload)) throw new TransportError(payload)
    throw new AdcpError(
      answer.status === 401 || answer.status === 403 ? 'AUTH_INVALID' : 'SERVICE_UNAVAILABLE',
      `${url} answers HTTP ${answer.status}: ${reasonIn(answer)}`,
    )
  }
}

function reasonIn({ body, challenge }: FetchAnswer): string {
  const text = body.toString('utf8')
  try {
    return messageIn(foreignJson(text)) ?? challenge ?? 'no reason given'
  } catch {
    return challenge ?? (text.slice(0, 200) || 'no reason given')
  }
}

function unreachable(url: string, task: string, error: unknown): AdcpError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause)
  return new AdcpError('SERVICE_UNAVAILABLE', `${task}: no answer from ${url}: ${reason}`)
}

function errorIn(task: string, payload: unknown): AdcpError {
  return new AdcpError('INVALID_REQUEST', `${task} failed: ${messageIn(payload) ?? JSON.stringify(payload).slice(0, 500)}`)
}

/** An AdCP error (`adcp_error`, `errors[0]`) or a JSON-RPC error that a payload holds. */
function errorOf(payload: unknown): Readonly<Record<string, unknown>> | undefined {
  return [member(payload, 'adcp_error'), member(payload, 'errors'), member(payload, 'error')]
    .flat()
    .filter(isObject)
    .find(({ message }) => typeof message === 'string')
}

/** The message of an error, with its code. */
function messageIn(payload: unknown): string | undefined {
  const error = errorOf(payload)
  return error && [error.code, error.message].filter((part) => part !== undefined).join(': ')
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}
