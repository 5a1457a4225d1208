import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { ENVELOPE_MEMBERS } from '../../protocol/envelope-members.ts'

/** `ext` may ask for something; the rest of the envelope changes from one attempt to the next, or carries secrets. */
const NOT_ASKED = new Set([...ENVELOPE_MEMBERS].filter((name) => name !== 'ext'))

/**
 * Hash of what somebody wants to do: the same agent that asks for the same thing again asks about the same action, with or without a token.
 */
export function actionKey(caller: string, tool: string, purchaseType: string, payload: unknown): string {
  const isObject = typeof payload === 'object' && payload !== null
  const asked = isObject ? Object.fromEntries(Object.entries(payload).filter(([name]) => !NOT_ASKED.has(name))) : {}
  return hash('sha256', canonicalize({ caller, tool, purchaseType, asked }) ?? '', 'base64url')
}
