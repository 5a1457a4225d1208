import { callTool } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import { plainFetch } from '../../platform/net/plain-fetch.ts'
import type { FetchAnswer, SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
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

/** A caller of one agent over MCP, with a key. */
export function agentCaller(url: string, key: string, schemas: Schemas): CallAgent {
  return async <Answer>(task: string, request: object): Promise<Answer> => {
    const { isError, payload } = await callTool(refusing(url), {
      url,
      tool: task,
      arguments: request,
      policy: POLICY,
      authorization: `Bearer ${key}`,
    }).catch((error: unknown) => {
      throw error instanceof AdcpError ? error : unreachable(url, task, error)
    })
    if (isError) throw errorIn(task, payload)
    const [issue] = schemas.response(task)(payload)
    if (issue)
      throw new AdcpError(
        'INVALID_REQUEST',
        `${task}: the answer breaks its official schema at ${issue.pointer || '/'}: ${issue.message}`,
      )
    // The schema above is the one that the type was made from.
    return payload as Answer
  }
}

/** Statuses that refuse a call carry their reason in the body, which `callTool` does not read. */
function refusing(url: string): SafeFetch {
  return async (address, request) => {
    const answer = await plainFetch(address, request)
    if (answer.status < 400) return answer
    throw new AdcpError(
      answer.status === 401 || answer.status === 403 ? 'AUTH_INVALID' : 'SERVICE_UNAVAILABLE',
      `${url} answers HTTP ${answer.status}: ${reasonIn(answer)}`,
    )
  }
}

function reasonIn({ body, challenge }: FetchAnswer): string {
  const text = body.toString('utf8')
  try {
    return messageIn(JSON.parse(text)) ?? challenge ?? 'no reason given'
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

/** The message of an AdCP error (`adcp_error`, `errors[0]`) or of a JSON-RPC error, with its code. */
function messageIn(payload: unknown): string | undefined {
  const error = [member(payload, 'adcp_error'), member(payload, 'errors'), member(payload, 'error')]
    .flat()
    .find((candidate) => typeof member(candidate, 'message') === 'string')
  if (error === undefined) return undefined
  return [member(error, 'code'), member(error, 'message')].filter((part) => part !== undefined).join(': ')
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
