import { listQueue, type QueueEntry, showTask, taskIdOf } from '../../tasks/approvals/queue.ts'
import { defineAct } from '../act.ts'
import { required } from '../fields.ts'
import { namedBuyer } from '../named-buyer.ts'
import { READERS } from '../roles.ts'
import { list, pageOf } from '../shape.ts'
import { idText } from '../text-form.ts'
import { type ApprovalEntry, approvalDetails, approvalEntry } from './approval-shapes.ts'

// Several acts in one file: a list, and one of its items in full.

export type { QueueEntry }

/** The field that names an entry of the queue. */
export const APPROVAL = required(idText('id of what needs the decision'))

/** What waits for a decision of the publisher: submitted tasks, creatives in review and new accounts, oldest first. */
export const listApprovals = defineAct({
  name: 'approvals.list',
  route: 'GET /approvals',
  id: 'listApprovals',
  roles: READERS,
  summary: 'Orders, changes, creatives and accounts that need a decision, oldest first.',
  fields: {},
  answer: pageOf(approvalEntry),
  command: {
    columns: [
      ['id', ({ id }) => id],
      ['what', ({ task }) => task],
      ['buyer', ({ buyer }) => buyer],
      ['about', aboutOf],
      ['why', ({ reason }) => reason],
      ['state', ({ state }) => state],
    ],
  },
  run: async ({ store, tenantId }) => list((await listQueue(store.read, tenantId)).map(presentEntry)),
})

/** A submitted task with all it is about, decided or not. Throws REFERENCE_NOT_FOUND, and INVALID_REQUEST for an id that is no task. */
export const showApproval = defineAct({
  name: 'approvals.show',
  route: 'GET /approvals/{approval}',
  id: 'showApproval',
  roles: READERS,
  summary: 'A submitted task with all it is about, decided or not.',
  fields: { approval: APPROVAL },
  answer: approvalDetails,
  command: {},
  async run({ store, tenantId }, { approval: id }) {
    const { approval, ...entry } = await showTask(store.read, tenantId, taskIdOf(id))
    const { conditions, note, decidedAt } = approval
    const document: unknown = JSON.parse(approval.document)
    return {
      ...presentEntry(entry),
      conditions,
      ...(note !== undefined && { note }),
      ...(decidedAt !== undefined && { decided_at: decidedAt }),
      document,
    }
  },
})

/** An entry as answers have it. */
export function presentEntry({ expiresAt, since, summary, ...entry }: QueueEntry): ApprovalEntry {
  const { id, kind, task, principal: buyer, account, state, reason } = entry
  return {
    ...{ id, kind, ...(kind === 'task' && { task_id: id }), task, ...namedBuyer(buyer), account, state, reason },
    ...(since !== '' && { since }),
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...summary,
  }
}

/** What an entry is about, in one line. */
export function aboutOf({ budget, currency, products, name, media_buy_id: buy }: ApprovalEntry): string {
  const money = typeof budget === 'number' && typeof currency === 'string' ? `${budget} ${currency}` : ''
  const things = Array.isArray(products) ? products.join(', ') : ''
  return [buy, money, things, name].filter((part) => typeof part === 'string' && part !== '').join(' · ')
}
