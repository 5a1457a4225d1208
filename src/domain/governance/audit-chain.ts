import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { GovernedAction } from './action.ts'
import type { Adjustment } from './adjustment.ts'
import type { Decision } from './decision.ts'
import type { Resolution } from './escalation.ts'
import type { Outcome } from './outcome.ts'
import type { PurchaseType } from './plan.ts'
import type { Condition, Remark } from './remark.ts'

/** What happened to a plan. Only checks and outcomes have a place in the official log; the rest completes the chain. */
export type EntryKind = 'plan' | 'check' | 'escalation' | 'review' | 'outcome' | 'revocation' | 'adjustment' | 'adjustment_review'

/** What an entry says; everything but `at` and `actor` depends on its kind. */
export interface EntryDocument {
  readonly at: string
  /** Who did it: URL or name of an agent, or a person. */
  readonly actor: string
  readonly reason?: string
  readonly conditions?: readonly Condition[]
  readonly caller?: string
  readonly purchaseType?: PurchaseType
  readonly governanceContext?: string
  readonly planHash?: string
  readonly planVersion?: number
  readonly remarks?: readonly Remark[]
  // Of a check
  readonly status?: Decision['status']
  readonly checkType?: GovernedAction['checkType']
  readonly tool?: string
  readonly amountMicros?: number
  readonly categories?: readonly string[]
  readonly policies?: readonly string[]
  /** A person decided on the action that this check is about. */
  readonly humanReviewed?: boolean
  // Of an outcome
  readonly outcome?: Outcome['kind']
  readonly outcomeStatus?: 'accepted' | 'findings'
  readonly committedMicros?: number
  readonly sellerReference?: string
  // Of a review
  readonly resolution?: Resolution
  readonly checkId?: string
  // Of an adjustment, and of its review
  readonly adjustment?: Adjustment
  readonly adjustmentId?: string
  readonly decision?: 'accept' | 'dispute'
  // Of a revocation
  readonly jti?: string
}

export interface NewEntry {
  readonly entryId: string
  readonly kind: EntryKind
  /** Empty for what concerns the plan as a whole. */
  readonly actionId: string
  readonly document: EntryDocument
}

/** An entry in its place. `hash` covers its content and the hash before it, so nothing can be changed, dropped or moved unseen. */
export interface AuditEntry extends NewEntry {
  readonly planId: string
  readonly seq: number
  readonly previousHash: string
  readonly hash: string
}

/** The hash before the first entry of every plan. */
const GENESIS = ''

/** Puts an entry at the end of a plan's chain. `last`: the end so far. */
export function linked(entry: NewEntry, planId: string, last: Pick<AuditEntry, 'seq' | 'hash'> | undefined): AuditEntry {
  const place = { planId, seq: (last?.seq ?? 0) + 1, previousHash: last?.hash ?? GENESIS }
  return { ...entry, ...place, hash: hashOf({ ...entry, ...place }) }
}

/** Follows a chain from its first entry on, one after another. */
export class ChainWalk {
  #last = { seq: 0, hash: GENESIS }
  /** How many entries came. */
  length = 0
  /** The first place at which the chain is broken; undefined while it is whole. */
  brokenAt: number | undefined

  follow(entry: AuditEntry): void {
    const { seq, hash } = this.#last
    const holds =
      this.brokenAt === undefined && entry.seq === seq + 1 && entry.previousHash === hash && entry.hash === hashOf(entry)
    if (!holds) this.brokenAt ??= entry.seq
    this.#last = entry
    this.length++
  }

  /** The hash of the last entry; undefined before the first. */
  get head(): string | undefined {
    return this.length === 0 ? undefined : this.#last.hash
  }
}

function hashOf({ entryId, kind, actionId, document, planId, seq, previousHash }: Omit<AuditEntry, 'hash'>): string {
  const text = canonicalize({ entryId, kind, actionId, document, planId, seq, previousHash })
  return hash('sha256', text ?? '', 'base64url')
}
