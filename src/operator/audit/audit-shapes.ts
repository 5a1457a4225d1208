import { about, anything, integer, listOf, mapOf, named, object, optional, string, word } from '../shape.ts'

/** An entry of the audit log. */
export const entryShape = named(
  'AuditEntry',
  object({
    seq: integer,
    at: about('ISO 8601 UTC', string),
    tenant: about('empty for a caller of an unknown tenant, and for acts on the whole deployment', string),
    principal: optional(about('who was let in: the id of a buyer, operator, or person:NAME', string)),
    credential: optional(about('identifier of the credential (a key id, a keyid), never the secret', string)),
    transport: string,
    request: about('of the (first) call, as the server’s log has it', string),
    task: string,
    account: optional(string),
    subject: optional(about('what was changed, by its id, where neither the task nor the account says', string)),
    changes: optional(about('old and new value of what an act changed', mapOf(listOf(anything)))),
    outcome: about('ok, or the error code of the refusal', string),
    replay: optional(about('the stored answer of an idempotency key was given again; nothing changed', word(true))),
    count: optional(about('how many like it are written as one: refusals of unknown callers', integer)),
  }),
)

/** An entry of the log with its place in the chain. */
export const linkShape = named('AuditLink', object({ number: integer, entry: anything, previous_hash: string, hash: string }))
