import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** What changes from one attempt to the next, or carries secrets, and is no part of the question. */
const NOT_ASKED = new Set(['idempotency_key', 'context', 'governance_context', 'push_notification_config', 'adcp_major_version'])

/**
 * Hash of what somebody wants to do: the same agent that asks for the same thing again asks about the same action, with or without a token.
 */
export function actionKey(caller: string, tool: string, purchaseType: string, payload: unknown): string {
  const isObject = typeof payload === 'object' && payload !== null
  const asked = isObject ? Object.fromEntries(Object.entries(payload).filter(([name]) => !NOT_ASKED.has(name))) : {}
  return hash('sha256', canonicalize({ caller, tool, purchaseType, asked }) ?? '', 'base64url')
}
