import { type AccountChangeEvent, accountChangeBody } from '../account/account-change-event.ts'
import { type ReportEvent, reportEventBody } from '../account/report-event.ts'
import { type A2aFormat, a2aBody } from './a2a-body.ts'
import { type CapabilitiesChange, capabilitiesChangeBody } from './capabilities-change.ts'
import { type CreativeChange, creativeChangeBody } from './creative-change.ts'
import { type CreativePurge, creativePurgeBody } from './creative-purge.ts'
import { type Echo, type TaskEvent, webhookBody } from './envelope.ts'
import { type ListChange, listChangeBody } from './list-change.ts'
import { type RightsRevocation, rightsRevocationBody } from './rights-revocation.ts'

/** How a subscriber registered, and so what it is sent: AdCP's own envelope, or a native notification of A2A. */
export interface BodyForm extends Echo {
  /** Absent: AdCP. */
  readonly format?: A2aFormat
  /** The A2A task of the call that registered it, when that call was the whole work. */
  readonly a2aTask?: { readonly id: string; readonly contextId: string }
}

/** An event to send. */
export type WebhookEvent =
  | TaskEvent
  | ListChange
  | RightsRevocation
  | CreativeChange
  | CreativePurge
  | CapabilitiesChange
  | AccountChangeEvent
  | ReportEvent

/** The body of a webhook as text, written once: every attempt sends these bytes. */
export function bodyOf(event: WebhookEvent, form: BodyForm, idempotencyKey: string): string {
  if ('listId' in event) return listChangeBody(event, idempotencyKey)
  if ('grantId' in event) return rightsRevocationBody(event, idempotencyKey)
  if ('creativeId' in event) return creativeChangeBody(event, idempotencyKey)
  if ('purgedCreativeId' in event) return creativePurgeBody(event, idempotencyKey)
  if ('accountChange' in event) return accountChangeBody(event, idempotencyKey)
  if ('published' in event) return reportEventBody(event, idempotencyKey)
  if ('capabilitiesVersion' in event) return capabilitiesChangeBody(event, idempotencyKey)
  const { format, a2aTask } = form
  if (format === undefined) return webhookBody(event, form, idempotencyKey)
  const { taskId } = event
  return a2aBody(format, a2aTask ?? { id: taskId, contextId: taskId }, event, form, idempotencyKey)
}

/** What happened, in a word or two for lists. */
export function labelOf(event: WebhookEvent): string {
  if ('grantId' in event) return 'rights revoked'
  if ('creativeId' in event) return `creative ${event.to}`
  if ('purgedCreativeId' in event) return 'creative purged'
  if ('accountChange' in event) return `${event.accountChange.resource} ${event.accountChange.action}`
  if ('published' in event) return event.published.type
  if ('capabilitiesVersion' in event) return 'capabilities changed'
  return 'listId' in event ? `${event.kind}_list changed` : `${event.taskType} ${event.status}`
}
