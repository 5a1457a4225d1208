import type { Db } from '../../store/database.ts'
import { askEntry, askedOf, decideEntry, entryState, requireUndecided } from '../../tasks/approvals/queue.ts'
import { defineAct, type Watching } from '../act.ts'
import { atMost, flag, logged, required, text, texts } from '../fields.ts'
import { REASON_FOR_BUYER } from '../reasons.ts'
import { SELLERS } from '../roles.ts'
import { type Decided, decided } from './approval-shapes.ts'
import { APPROVAL } from './list-approvals.ts'

// Several acts in one file: the same decision or change in its directions, such as approve and reject.

const ENTRY = { approval: APPROVAL, undecided: flag('fail if somebody has decided already, even with the same result') }

/**
 * Approves an entry of the queue and carries it out: an order is booked in its ad server. Throws REFERENCE_NOT_FOUND, CREATIVE_NOT_FOUND, INVALID_STATE after
 * another decision, and errors that are worth another try (SERVICE_UNAVAILABLE).
 */
export const approve = defineAct({
  name: 'approvals.approve',
  route: 'POST /approvals/{approval}/approve',
  id: 'approve',
  roles: SELLERS,
  summary: 'Approves, and carries out: an order is booked in its ad server.',
  fields: { ...ENTRY, conditions: logged(texts('conditions that the buyer reads')) },
  answer: decided,
  command: { flags: { conditions: 'condition' }, text: decisionLines },
  watch: watchedEntry,
  async run(context, { approval: id, undecided: first, conditions = [] }) {
    const services = await context.services.approvals(context.store)
    const verdict = { approve: true, conditions, decidedBy: context.actor.credential, first } as const
    return decisionOf(id, await decideEntry(services, context.tenantId, id, verdict, context.clock()))
  },
})

/** Declines an entry of the queue; the buyer gets the reason. Throws as {@link approve} does. */
export const reject = defineAct({
  name: 'approvals.reject',
  route: 'POST /approvals/{approval}/reject',
  id: 'reject',
  roles: SELLERS,
  summary: 'Rejects; the buyer gets the reason.',
  fields: { ...ENTRY, reason: required(REASON_FOR_BUYER) },
  answer: decided,
  command: { text: decisionLines },
  watch: watchedEntry,
  async run(context, { approval: id, undecided: first, reason }) {
    const services = await context.services.approvals(context.store)
    const verdict = { approve: false, reason, first } as const
    return decisionOf(id, await decideEntry(services, context.tenantId, id, verdict, context.clock()))
  },
})

/**
 * Asks the buyer for something first: a task waits for the answer, an account stays pending with the question, a creative is sent back to be changed. Throws
 * REFERENCE_NOT_FOUND, CREATIVE_NOT_FOUND, INVALID_STATE after another decision.
 */
export const ask = defineAct({
  name: 'approvals.ask',
  route: 'POST /approvals/{approval}/ask',
  id: 'ask',
  roles: SELLERS,
  summary: 'Asks the buyer for something first: a task waits for the answer, an account stays pending, a creative is sent back.',
  fields: { ...ENTRY, question: required(logged(atMost(500, text('what the buyer has to do')))) },
  answer: decided,
  command: { flags: { question: 'reason' }, text: decisionLines },
  watch: async (tx, context, values) => ({
    ...(await watchedEntry(tx, context, values)),
    question: await askedOf(tx, context.tenantId, values.approval),
  }),
  async run(context, { approval: id, undecided, question }) {
    if (undecided) await requireUndecided(context.store.read, context.tenantId, id)
    return decisionOf(id, await askEntry(context, context.tenantId, id, question, context.clock()))
  },
})

/** The state of an entry, for the audit log: a decision is final before it is carried out. */
async function watchedEntry(tx: Db, { tenantId }: Watching, { approval }: { readonly approval: string }): Promise<object> {
  const state = await entryState(tx, tenantId, approval)
  return { state: state === 'approving' ? 'approved' : state }
}

function decisionOf(id: string, { status, message, result }: Awaited<ReturnType<typeof decideEntry>>): Decided {
  return { task_id: id, status, ...(message !== undefined && { message }), ...(result && { result: { ...result } }) }
}

function decisionLines({ task_id: id, status, message }: Decided): string[] {
  return [message === undefined ? `${id} is ${status}` : `${id} is ${status}: ${message}`]
}
