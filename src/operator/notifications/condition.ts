import type { NotificationItem, NotificationKind } from '../../domain/notification/notification.ts'

/** A condition that people are notified of once while it lasts. `key` identifies it among those of its kind. */
export interface Condition extends NotificationItem {
  readonly kind: NotificationKind
  readonly key: string
}
