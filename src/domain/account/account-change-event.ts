import type { AccountChange } from './account-change.ts'
import { CHANGE_RECORDED } from './notification-configs.ts'

/** Something that an account holds has changed, for one subscriber. */
export interface AccountChangeEvent {
  readonly accountChange: AccountChange
  readonly subscriberId: string
  readonly at: Date
}

/** The body of a notification as text (AdCP 3.2, core/account-change-recorded-webhook.json). */
export function accountChangeBody({ accountChange, subscriberId, at }: AccountChangeEvent, idempotencyKey: string): string {
  const { changeId, accountId, recordedAt, resource, resourceId, action } = accountChange
  return JSON.stringify({
    idempotency_key: idempotencyKey,
    notification_id: changeId,
    notification_type: CHANGE_RECORDED,
    fired_at: at.toISOString(),
    subscriber_id: subscriberId,
    account_id: accountId,
    change_id: changeId,
    recorded_at: recordedAt,
    resource: { type: resource, resource_id: resourceId },
    action,
  })
}
