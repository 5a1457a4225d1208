import type { AuditEntry, EntryDocument } from './audit-chain.ts'
import { Newest, type Room } from './newest.ts'

/** Too few checks for a trend. */
const TREND_MIN = 4

/** A change of the escalation rate below this is none. */
const TREND_STEP = 0.1

export interface EscalationSummary {
  readonly checkId: string
  readonly reason: string
  readonly resolution: 'approved_by_human' | 'approved_by_human_with_conditions' | 'rejected_by_human' | undefined
  readonly resolvedAt: string | undefined
}

/** Figures over a plan's log (AdCP get-plan-audit-logs-response.json, `summary`). Rates are 0 to 1. */
export interface AuditSummary {
  readonly checks: number
  readonly outcomes: number
  readonly approved: number
  readonly denied: number
  readonly conditions: number
  readonly humanReviewed: number
  readonly findings: number
  readonly escalations: readonly EscalationSummary[]
  /** Undefined before the first check. */
  readonly drift: DriftMetrics | undefined
}

export interface DriftMetrics {
  readonly escalationRate: number
  readonly trend: 'increasing' | 'stable' | 'declining'
  readonly autoApprovalRate: number
  readonly overrideRate: number
  readonly meanConfidence: number | undefined
}

/** Counts what a log holds, entry by entry; they may be a selection and come in order. Of escalations the newest are kept, for which there is room. */
export class AuditTally {
  readonly #escalations: Newest<Mutable<EscalationSummary>>
  readonly #statuses = { approved: 0, denied: 0, conditions: 0 }
  readonly #confidence = { sum: 0, count: 0 }
  /** Positions, in the list of checks, of those that were escalated. */
  readonly #escalated: number[] = []
  #checks = 0
  #outcomes = 0
  #humanReviewed = 0
  #approvedAlone = 0
  #findings = 0
  #resolved = 0
  #overridden = 0
  #lastCheck = ''

  constructor(room: Room) {
    this.#escalations = new Newest(room)
  }

  add({ kind, entryId, document }: AuditEntry): void {
    if (kind === 'check') this.#addCheck(entryId, document)
    if (kind === 'outcome') this.#outcomes++
    if (kind === 'check' || kind === 'outcome') this.#addFindings(document)
    if (kind === 'escalation') this.#addEscalation(document)
    if (kind === 'review') this.#addReview(document)
  }

  get escalations(): Newest<EscalationSummary> {
    return this.#escalations
  }

  get summary(): AuditSummary {
    return {
      checks: this.#checks,
      outcomes: this.#outcomes,
      ...this.#statuses,
      humanReviewed: this.#humanReviewed,
      findings: this.#findings,
      escalations: this.#escalations.items,
      drift: this.#checks === 0 ? undefined : this.#drift(),
    }
  }

  #addCheck(entryId: string, { status, humanReviewed }: EntryDocument): void {
    this.#checks++
    this.#lastCheck = entryId
    if (status !== undefined) this.#statuses[status]++
    if (humanReviewed) this.#humanReviewed++
    if (status === 'approved' && !humanReviewed) this.#approvedAlone++
  }

  #addFindings({ remarks = [] }: EntryDocument): void {
    this.#findings += remarks.length
    for (const { confidence } of remarks) {
      if (confidence === undefined) continue
      this.#confidence.sum += confidence
      this.#confidence.count++
    }
  }

  /** A check and its escalation are logged together: whichever comes first. */
  #addEscalation({ checkId = '', reason = '' }: EntryDocument): void {
    this.#escalated.push(this.#lastCheck === checkId ? this.#checks - 1 : this.#checks)
    this.#escalations.add({ checkId, reason, resolution: undefined, resolvedAt: undefined }, reason.length + checkId.length)
  }

  #addReview({ checkId, conditions = [], resolution, at }: EntryDocument): void {
    this.#resolved++
    if (resolution === 'approved') this.#overridden++
    const shown = this.#escalations.items.find((each) => each.checkId === checkId)
    if (!shown) return
    const yes = conditions.length > 0 ? 'approved_by_human_with_conditions' : 'approved_by_human'
    shown.resolution = resolution === 'approved' ? yes : 'rejected_by_human'
    shown.resolvedAt = at
  }

  #drift(): DriftMetrics {
    const half = Math.floor(this.#checks / 2)
    const ofFirst = this.#escalated.filter((place) => place < half).length
    const [first, second] = [share(ofFirst, half), share(this.#escalated.length - ofFirst, this.#checks - half)]
    const change = this.#checks < TREND_MIN ? 0 : second - first
    const { sum, count } = this.#confidence
    return {
      escalationRate: share(this.#escalated.length, this.#checks),
      trend: change > TREND_STEP ? 'increasing' : change < -TREND_STEP ? 'declining' : 'stable',
      autoApprovalRate: share(this.#approvedAlone, this.#checks),
      // An escalation is a denial until a person says otherwise: a yes overrides it.
      overrideRate: share(this.#overridden, this.#resolved),
      meanConfidence: count === 0 ? undefined : sum / count,
    }
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
