import type { CheckGovernanceRequest, CheckGovernanceResponse } from '@adcp/sdk/types'
import { callTool } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Schemas } from '../../protocol/schemas.ts'

export interface AskOptions {
  readonly schemas: Schemas
  readonly policy?: Partial<FetchPolicy> | undefined
}

/** The buyer's own call waits for this: no redirects, small answers, a short timeout. */
const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 256 * 1024,
  connectMs: 3_000,
  readMs: 8_000,
  totalMs: 10_000,
  contentTypes: undefined,
}

/** Codes that the buyer can act on; every other failure is no decision. */
const HANDED_ON: ReadonlyMap<unknown, string> = new Map([
  ['PLAN_NOT_FOUND', 'the governance agent knows no such plan'],
  ['CAMPAIGN_SUSPENDED', 'the governance agent has suspended the plan until a person has reviewed it'],
])

/**
 * Asks a governance agent over MCP. Gives an answer that follows the official schema and is about this plan. Throws GOVERNANCE_UNAVAILABLE when
 * there is none, PLAN_NOT_FOUND and CAMPAIGN_SUSPENDED when the agent says so.
 */
export async function askAgent(
  safeFetch: SafeFetch,
  agent: { readonly url: string; readonly credentials: string },
  request: CheckGovernanceRequest,
  { schemas, policy }: AskOptions,
): Promise<CheckGovernanceResponse> {
  const { isError, payload } = await callTool(safeFetch, {
    url: agent.url,
    tool: 'check_governance',
    arguments: request,
    policy: { ...POLICY, ...policy },
    authorization: `Bearer ${agent.credentials}`,
  }).catch((cause: unknown) => {
    throw unavailable(cause)
  })
  if (isError) throw refusalOf(payload)
  // What comes back is shown to everybody on the account; the credential is one agent's.
  if (JSON.stringify(payload).includes(agent.credentials)) throw unavailable('the answer repeats our credential')
  const [issue] = schemas.response('check_governance')(payload)
  if (issue) throw unavailable(`the answer is not valid: ${issue.pointer} ${issue.message}`)
  if (!isAnswer(payload, request.plan_id)) throw unavailable('the answer is about another plan')
  return payload
}

/** No decision could be had. `cause` goes to the log only. */
export function unavailable(cause: unknown): AdcpError {
  return new AdcpError('GOVERNANCE_UNAVAILABLE', 'a governance agent of the account gave no valid decision', {
    cause,
    suggestion: 'retry with backoff; if it persists, ask the operator of the governance agent',
    retryAfter: 5,
  })
}

function refusalOf(payload: unknown): AdcpError {
  const error = member(payload, 'adcp_error') ?? [member(payload, 'errors')].flat()[0]
  const code = member(error, 'code')
  const message = HANDED_ON.get(code)
  if (typeof code !== 'string' || message === undefined) return unavailable(`the agent answers ${String(code)}`)
  return new AdcpError(code, message, { field: 'plan_id' })
}

/** The schema has been checked; the plan it is about has not. */
function isAnswer(payload: unknown, planId: string): payload is CheckGovernanceResponse {
  return member(payload, 'plan_id') === planId
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Record<string, unknown>)[name]
}
