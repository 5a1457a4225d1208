import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** What a governance agent keeps beside a plan; the closed list of AdCP campaign governance, "Plan state binding". */
const BOOKKEEPING = new Set(['version', 'status', 'syncedAt', 'revisionHistory', 'committedBudget', 'committedByType'])

/** The bytes that a plan's hash is over: its canonical JSON (RFC 8785), exactly as supplied, without bookkeeping. */
export function planPreimage(plan: object): string {
  const supplied = Object.fromEntries(Object.entries(plan).filter(([name]) => !BOOKKEEPING.has(name)))
  const text = canonicalize(supplied)
  if (text === undefined) throw new TypeError('the plan is no JSON object')
  return text
}

/** Binds a decision to one revision of a plan: base64url SHA-256 without padding. */
export function planHash(plan: object): string {
  return hash('sha256', planPreimage(plan), 'base64url')
}
