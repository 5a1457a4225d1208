import { askEntry, type Decided, decideEntry, requireUndecided } from '../../tasks/approvals/queue.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

export type { Decided }

/** The publisher and the entry of its queue that is decided on. */
interface Entry {
  readonly tenantId: string
  readonly id: string
}

/**
 * Approves an entry of the queue and carries it out: an order is booked in its ad server. `conditions` are texts for the buyer. Throws
 * REFERENCE_NOT_FOUND, CREATIVE_NOT_FOUND, INVALID_STATE after another decision, and errors that are worth another try (SERVICE_UNAVAILABLE).
 */
export async function approve(
  context: OperatorContext,
  { tenantId, id, conditions }: Entry & { readonly conditions: readonly string[] },
): Promise<Decided> {
  const store = auditedStore(context, { task: 'approvals.approve', tenant: tenantId, subject: id })
  const services = await context.services.approvals(store)
  return decideEntry(services, tenantId, id, { approve: true, conditions, decidedBy: context.actor.credential }, context.clock())
}

/** Declines an entry of the queue; the buyer gets the reason. Throws as {@link approve} does. */
export async function reject(
  context: OperatorContext,
  { tenantId, id, reason }: Entry & { readonly reason: string },
): Promise<Decided> {
  const store = auditedStore(context, { task: 'approvals.reject', tenant: tenantId, subject: id })
  const services = await context.services.approvals(store)
  return decideEntry(services, tenantId, id, { approve: false, reason }, context.clock())
}

/**
 * Asks the buyer for something first: a task waits for the answer, an account stays pending with the question, a creative is sent back to be changed. Throws
 * REFERENCE_NOT_FOUND, CREATIVE_NOT_FOUND, INVALID_STATE after another decision.
 */
export async function ask(
  context: OperatorContext,
  { tenantId, id, question }: Entry & { readonly question: string },
): Promise<Decided> {
  const store = auditedStore(context, { task: 'approvals.ask', tenant: tenantId, subject: id })
  return askEntry({ store }, tenantId, id, question, context.clock())
}

/** Throws INVALID_STATE when an entry of the queue was decided on since somebody read it, REFERENCE_NOT_FOUND for a task that there is not. */
export function requireWaiting({ store }: OperatorContext, { tenantId, id }: Entry): Promise<void> {
  return requireUndecided(store.read, tenantId, id)
}
