import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import type { Approval } from '../../store/approval/approvals.ts'
import { type DecisionPosition, FINAL_STATES, listDecided } from '../../store/approval/decided.ts'
import { taskEntry } from '../../tasks/approvals/queue.ts'
import { defineAct } from '../act.ts'
import { DEFAULT_PAGE, paged, some, someOf } from '../fields.ts'
import { OF_BUYER } from '../named-buyer.ts'
import { READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { type Decision, decision } from './approval-shapes.ts'
import { aboutOf, presentEntry } from './list-approvals.ts'

export { FINAL_STATES }

/** What was decided, newest first: orders and changes that were rejected, too, which are no orders. Throws INVALID_REQUEST for a cursor of another query. */
export const listDecisions = defineAct({
  name: 'approvals.decided',
  route: 'GET /decisions',
  id: 'listDecisions',
  roles: READERS,
  summary: 'Submitted tasks that were decided, newest first, rejected ones too.',
  fields: {
    state: some(someOf(FINAL_STATES, `of ${FINAL_STATES.join(', ')}; default: all`)),
    buyer: OF_BUYER,
    ...paged('decisions'),
  },
  answer: pageOf(decision),
  command: {
    columns: [
      ['ID', ({ id }) => id],
      ['WHEN', ({ decided_at: at }) => at],
      ['STATE', ({ state }) => state],
      ['WHAT', ({ task }) => task],
      ['BUYER', ({ buyer }) => buyer],
      ['ABOUT', aboutOf],
      ['TOLD', ({ note }) => note ?? ''],
    ],
  },
  async run({ store, tenantId }, { state: states = FINAL_STATES, buyer, cursor, limit = DEFAULT_PAGE }) {
    const bound = ['decisions', tenantId, [...states], buyer ?? '']
    const after = positionOf(decodeCursor(bound, cursor))
    const found = await listDecided(store.read, tenantId, { states, principalId: buyer, after, limit: limit + 1 })
    const shown = found.slice(0, limit)
    const last = found.length > limit ? shown.at(-1) : undefined
    return list(shown.map(present), last ? encodeCursor(bound, JSON.stringify([last.decidedAt, last.taskId])) : null)
  },
})

function present(approval: Approval): Decision {
  const { decidedAt = '', decidedBy = null, note = null } = approval
  return { ...presentEntry(taskEntry(approval)), decided_at: decidedAt, decided_by: decidedBy, note }
}

function positionOf(text: string | undefined): DecisionPosition | undefined {
  if (text === undefined) return undefined
  const [decidedAt, taskId]: [string, string] = JSON.parse(text)
  return { decidedAt, taskId }
}
