import { isObject } from '../../protocol/is-object.ts'
import { DELIVERY_READY, LEDGER_CHANGED } from '../account/report-event.ts'
import { ownValue } from '../own-value.ts'

/** Schemas of what subscribers get, by the type of the notification. */
const SCHEMAS: Readonly<Record<string, string>> = {
  'creative.status_changed': 'creative/creative-status-changed-webhook.json',
  'creative.purged': 'creative/creative-purged-webhook.json',
  'account.change_recorded': 'core/account-change-recorded-webhook.json',
  [DELIVERY_READY]: 'core/reporting-delivery-ready-webhook.json',
  [LEDGER_CHANGED]: 'core/reporting-ledger-changed-webhook.json',
  'capabilities.changed': 'core/capabilities-changed-webhook.json',
}

/** Path of the official schema of a notification to a subscriber of an account or of this agent; undefined for a type that has none. */
export function accountSchemaOf(payload: unknown): string | undefined {
  const type = isObject(payload) ? payload.notification_type : undefined
  return typeof type === 'string' ? ownValue(SCHEMAS, type) : undefined
}
