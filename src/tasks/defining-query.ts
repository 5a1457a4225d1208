import { ENVELOPE_MEMBERS } from '../protocol/envelope-members.ts'

/**
 * The members of a request that decide which rows it lists, to bind the cursors of its pages to: everything but the page itself and the envelope,
 * which may differ from page to page (each call of AdCP 3.1 has an `idempotency_key` of its own).
 */
export function definingQuery(request: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'pagination' && !ENVELOPE_MEMBERS.has(name)))
}
