import type { Schema } from './schemas.ts'

/**
 * Members of the request envelope, which may stand beside the members of any task: the version fields (AdCP 3.1 and 3.2,
 * core/version-envelope.json), those that protocol-envelope.json places at the root of a message, the key of idempotent calls,
 * the open `ext`, and `$schema`, by which the official examples say what a message is.
 */
export const ENVELOPE_MEMBERS: ReadonlySet<string> = new Set([
  '$schema',
  'adcp_version',
  'adcp_major_version',
  'context',
  'context_id',
  'ext',
  'governance_context',
  'idempotency_key',
  'push_notification_config',
])

/**
 * Members that a later patch of 3.0, or the clients of a later release under 3.0, send to tasks whose schema in 3.0.6 is closed: `human_approval` is one of
 * 3.0.26, `target_agent` of 3.2 (governance/check-governance-request.json).
 */
const MEMBERS_OF_TASKS: Readonly<Record<string, readonly string[]>> = { check_governance: ['human_approval', 'target_agent'] }

/**
 * The request as its task's schema has to see it. A schema of 3.0 that is closed (`additionalProperties: false`) names only some
 * members of the envelope; those that it does not name are left out, because clients of every release send them to every task.
 */
export function withoutUndeclaredEnvelope(request: object, task: string, schema: Schema): object {
  if (schema.additionalProperties !== false) return request
  const { properties } = schema
  const isDeclared = (name: string) => typeof properties === 'object' && properties !== null && Object.hasOwn(properties, name)
  const isLater = (name: string) => MEMBERS_OF_TASKS[task]?.includes(name) === true
  const isSeen = ([name]: [string, unknown]) => !(ENVELOPE_MEMBERS.has(name) || isLater(name)) || isDeclared(name)
  return Object.fromEntries(Object.entries(request).filter(isSeen))
}
