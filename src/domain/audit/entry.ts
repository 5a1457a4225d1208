/** What the audit log keeps of a call: who, by which credential, what, on which account, and how it ended. Never the arguments of a buyer's call. */
export interface AuditEntry {
  /** ISO 8601 UTC. */
  readonly at: string
  /** Empty for a caller of an unknown tenant, and for acts on the whole deployment. */
  readonly tenant: string
  readonly principal?: string
  /** Identifier of the credential (a key id, a keyid), never the secret. */
  readonly credential?: string
  readonly transport: string
  /** Of the (first) call, as the server's log has it. */
  readonly request: string
  readonly task: string
  readonly account?: string
  /** What was changed, by its id, where neither the task nor the account says: an OAuth client, a key, an agent of the registry. */
  readonly subject?: string
  /** Of acts of the publisher's people: old and new value of what was changed, by its name. Never secrets or personal data. */
  readonly changes?: Readonly<Record<string, readonly [before: unknown, after: unknown]>>
  /** `ok`, or the error code of the refusal. */
  readonly outcome: string
  /** The stored answer of an idempotency key was given again; nothing changed. */
  readonly replay?: true
  /** How many like it are written as one: refusals of unknown callers. */
  readonly count?: number
}
