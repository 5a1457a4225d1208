import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import type { AuditEntry } from '../../domain/governance/audit-chain.ts'
import { ESCALATION_STATES, type Escalation } from '../../domain/governance/escalation.ts'
import { Newest } from '../../domain/governance/newest.ts'
import { microsToAmount } from '../../domain/money.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { type EscalationPosition, findEscalated, listEscalated } from '../../store/governance/governance-actions.ts'
import { eachEntry, findEntry, walkLog } from '../../store/governance/governance-log.ts'
import { PAGE_BYTES } from '../../store/page-size.ts'
import { presentCondition, presentFinding } from '../../tasks/governance/present-finding.ts'
import { defineAct } from '../act.ts'
import { DEFAULT_PAGE, flag, paged, required } from '../fields.ts'
import { READERS } from '../roles.ts'
import {
  anything,
  boolean,
  documentOf,
  integer,
  list,
  listOf,
  moment,
  named,
  type Of,
  object,
  optional,
  pageOf,
  string,
  word,
} from '../shape.ts'
import { idText } from '../text-form.ts'
import { table } from '../text-table.ts'

// Several acts in one file: a list, and one of its items in full.

/** An action under a campaign plan that needs, or needed, a person's decision. */
export type ShownEscalation = Of<typeof escalationShape>

const members = {
  check_id: string,
  plan_id: string,
  caller: string,
  tool: optional(string),
  amount: optional(string),
  state: word(...ESCALATION_STATES),
  reason: string,
  created_at: moment,
  decided_by: optional(string),
  decided_at: optional(moment),
  note: optional(string),
  conditions: optional(listOf(object({ field: string, required_value: optional(anything), reason: string }))),
}
export const escalationShape = named('Escalation', object(members))
export const CHECK = { check: required(idText('id of the check')) }

export const listEscalations = defineAct({
  name: 'governance.list',
  route: 'GET /governance',
  id: 'listEscalations',
  roles: READERS,
  summary: 'Spending under campaign plans that needs a person’s decision.',
  fields: { decided: flag('also what was decided'), ...paged('escalations') },
  answer: pageOf(escalationShape),
  command: {
    help: 'show actions that wait for a decision',
    flags: { decided: 'all' },
    columns: [
      ['CHECK', (each) => each.check_id],
      ['PLAN', (each) => each.plan_id],
      ['AGENT', ({ caller }) => caller],
      ['AMOUNT', ({ amount }) => amount ?? ''],
      ['STATE', ({ state }) => state],
      ['WHY', ({ reason }) => reason],
    ],
  },
  async run({ store, tenantId }, { decided = false, cursor, limit = DEFAULT_PAGE }) {
    const bound = ['escalations', tenantId, String(decided)]
    const after = positionOf(decodeCursor(bound, cursor))
    const { actions, isCut } = await listEscalated(store.read, tenantId, { decided, limit, after })
    const last = isCut ? actions.at(-1) : undefined
    const next = last ? encodeCursor(bound, JSON.stringify([last.createdAt, last.actionId])) : null
    return list(actions.flatMap(({ escalation }) => escalation ?? []).map(presentEscalation), next)
  },
})

function positionOf(text: string | undefined): EscalationPosition | undefined {
  if (text === undefined) return undefined
  const position = foreignJsonIn(text)
  const [createdAt, actionId]: readonly unknown[] = Array.isArray(position) ? position : []
  if (typeof createdAt === 'string' && typeof actionId === 'string') return { createdAt, actionId }
  throw new AdcpError('INVALID_REQUEST', 'the cursor was not issued here', { field: 'cursor' })
}

/** Entries of its log that are shown of an action, the newest of them, and their bytes. */
const SHOWN = { count: 500, bytes: PAGE_BYTES / 2 }

/** Throws REFERENCE_NOT_FOUND. */
export const showEscalation = defineAct({
  name: 'governance.show',
  route: 'GET /governance/{check}',
  id: 'showEscalation',
  roles: READERS,
  summary: 'One escalation with its findings and the newest 500 entries of its plan’s log.',
  fields: CHECK,
  answer: object({
    ...members,
    findings: listOf(documentOf<ReturnType<typeof presentFinding>>('A finding of check_governance (AdCP).')),
    log: listOf(object({ seq: integer, event: string, at: string, actor: string, reason: optional(string) })),
  }),
  command: {
    text: (shown) => [
      `${shown.check_id}  ${shown.plan_id}  ${shown.caller}  ${shown.amount ?? ''}  ${shown.state}`,
      ...shown.findings.map((finding) => `  ${finding.severity}  ${finding.explanation}`),
      ...table(
        ['SEQ', 'EVENT', 'AT', 'WHO', 'WHY'],
        shown.log.map((each) => [String(each.seq), each.event, each.at, each.actor, each.reason ?? '']),
      ),
    ],
  },
  async run({ store, tenantId }, { check }) {
    const action = await findEscalated(store.read, tenantId, check)
    const entry = await findEntry(store.read, tenantId, check)
    if (!action?.escalation || !entry)
      throw new AdcpError('REFERENCE_NOT_FOUND', `no check ${check} is pending a decision by a person`, { field: 'check' })
    const log = new Newest<AuditEntry>(SHOWN)
    await eachEntry(store.read, entry, entry.planId, (each, bytes) => {
      if (each.actionId === action.actionId) log.add(each, bytes)
    })
    return {
      ...presentEscalation(action.escalation),
      findings: (entry.document.remarks ?? []).map((remark) => presentFinding(remark)),
      log: log.items.map(({ seq, kind, document: { at, actor, reason } }) => ({ seq, event: kind, at, actor, reason })),
    }
  },
})

/** Throws REFERENCE_NOT_FOUND. */
export const verifyPlanLog = defineAct({
  name: 'governance.verify',
  route: 'GET /governance/{check}/verify',
  id: 'verifyPlanLog',
  roles: READERS,
  summary: 'Recomputes the hash chain of the plan that a check belongs to.',
  fields: CHECK,
  answer: object({
    plan_id: string,
    entries: integer,
    intact: boolean,
    broken_at: optional(integer),
    head: optional(string),
  }),
  command: {
    fails: ({ intact }) => !intact,
    text: ({ intact, entries, broken_at: at }) => [
      intact ? `${entries} entries, the chain holds` : `the chain is broken at entry ${at}`,
    ],
  },
  async run({ store, tenantId }, { check }) {
    const entry = await findEntry(store.read, tenantId, check)
    if (!entry) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no entry ${check}`, { field: 'check' })
    const { length, brokenAt, head } = await walkLog(store.read, entry, entry.planId)
    return { plan_id: entry.planId, entries: length, intact: brokenAt === undefined, broken_at: brokenAt, head }
  },
})

export function presentEscalation({
  checkId,
  planId,
  caller,
  tool,
  amountMicros,
  currency,
  why,
  review,
  createdAt,
}: Escalation): ShownEscalation {
  return {
    check_id: checkId,
    plan_id: planId,
    caller,
    ...(tool !== undefined && { tool }),
    ...(amountMicros !== undefined && { amount: `${microsToAmount(amountMicros)} ${currency}` }),
    state: review?.resolution ?? 'pending',
    reason: why,
    created_at: createdAt,
    ...(review && {
      decided_by: review.decidedBy,
      decided_at: review.decidedAt,
      note: review.reason,
      conditions: review.conditions.map(presentCondition),
    }),
  }
}
