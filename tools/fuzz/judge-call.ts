import type { Contract } from '../../src/protocol/contract.ts'
import { fieldOf } from '../../src/protocol/field-of.ts'
import type { Schemas } from '../../src/protocol/schemas.ts'
import { faultOf, type Reply } from './judge.ts'

/** What came of a call: a fault of the server, or what it answered; a refusal with its error code, of AdCP or JSON-RPC. */
export type Verdict =
  | { readonly fault: string }
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly code: string }

/** JSON-RPC 2.0 §5.1: an internal error is the server's fault. */
const INTERNAL_ERROR = -32603

/** Errors that say that something is wrong with the server, not with the request. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'CONFIGURATION_ERROR', 'INTERNAL_ERROR'])

/**
 * Judges one reply of the MCP endpoint: no status from 500 on, no traces of the implementation, an error that a client can act on, and a success that
 * the official response schema of the task accepts.
 * @param contract of the release that was asked for
 * @param task whose response schema holds; undefined for messages that call none
 */
export function judgeCall(contract: Contract, task: string | undefined, reply: Reply): Verdict {
  const fault = faultOf(reply)
  if (fault !== undefined) return { fault: `${fault}: ${reply.body.slice(0, 300)}` }
  if (reply.body === '') return { outcome: 'refused', code: `HTTP ${reply.status}` }
  const message = objectOf(parsed(reply.body))
  if (!message) return { fault: 'the body is no JSON object' }
  const error = objectOf(message.error)
  if (error) {
    if (error.code === INTERNAL_ERROR) return { fault: `JSON-RPC ${INTERNAL_ERROR}: ${String(error.message)}` }
    return refusal(contract, objectOf(error.data)) ?? { outcome: 'refused', code: String(error.code) }
  }
  const result = objectOf(message.result)
  if (!result) return { fault: 'a reply without result and error' }
  if (task === undefined) return { outcome: 'accepted' }
  const payload = objectOf(result.structuredContent)
  if (!payload) return { fault: 'a result without structuredContent' }
  if (result.isError === true) return refusal(contract, payload) ?? { fault: 'an error without a code' }
  const issues = issuesOf(contract.schemas, task, payload)
  return issues === undefined ? { outcome: 'accepted' } : { fault: `the response schema refuses: ${issues}` }
}

function refusal(contract: Contract, payload: Record<string, unknown> | undefined): Verdict | undefined {
  const error = objectOf(payload?.adcp_error)
  if (!error) return undefined
  const { code, message } = error
  if (typeof code !== 'string' || !contract.knowsCode(code)) return { fault: `unknown error code ${String(code)}` }
  if (OWN_FAULTS.has(code)) return { fault: `${code}: ${String(message)}` }
  return typeof message === 'string' && message !== '' ? { outcome: 'refused', code } : { fault: `${code} without a message` }
}

function issuesOf(schemas: Schemas, task: string, payload: Record<string, unknown>): string | undefined {
  const issues = schemas.response(task)(payload)
  const interim = issues.length > 0 && typeof payload.status === 'string' ? schemas.interim(task, payload.status) : undefined
  const left = interim ? interim(payload) : issues
  return left.length === 0
    ? undefined
    : left
        .map(({ pointer, message }) => `${fieldOf(pointer)} ${message}`)
        .join('; ')
        .slice(0, 500)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}
