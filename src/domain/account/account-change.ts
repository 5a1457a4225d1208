/** What changes of accounts are about, each with the task that reads its present state (AdCP 3.2 core/account-change.json, `repair`). */
export const CHANGED_RESOURCES = {
  account: 'list_accounts',
  media_buy: 'get_media_buys',
  creative: 'list_creatives',
  audience: 'sync_audiences',
  catalog: 'sync_catalogs',
  event_source: 'sync_event_sources',
} as const

export type ChangedResource = keyof typeof CHANGED_RESOURCES

/** Who brought a change about: a buyer's call, one of the publisher's people, or the server by itself. */
export type ChangeOrigin = 'adcp' | 'seller_operator' | 'seller_system'

/** What becomes of a resource of an account. */
export type ResourceAction = 'created' | 'updated' | 'deleted'

/** A change of something that an account holds. */
export interface AccountChange {
  readonly changeId: string
  readonly tenantId: string
  readonly accountId: string
  readonly recordedAt: string
  readonly resource: ChangedResource
  readonly resourceId: string
  readonly action: ResourceAction | 'status_changed'
  readonly origin: ChangeOrigin
  readonly revision: number | undefined
}

/** How long changes are kept, in days. */
export const CHANGES_KEPT_DAYS = 90

/** A change as answers show it (AdCP 3.2 core/account-change.json). */
export function presentChange(change: AccountChange) {
  const { changeId, accountId, recordedAt, resource, resourceId, action, origin, revision } = change
  const gone = action === 'deleted' && ({ available: false, unavailable_reason: 'deleted' } as const)
  return {
    change_id: changeId,
    recorded_at: recordedAt,
    resource: { type: resource, account_id: accountId, resource_id: resourceId },
    action,
    origin: { kind: origin },
    ...(revision !== undefined && { resource_revision: revision }),
    repair: { task: CHANGED_RESOURCES[resource], ...gone },
  }
}

/** What a seller that keeps changes says of it (AdCP 3.2, `account.change_feed`). */
export const CHANGE_FEED = {
  change_feed: {
    supported: true,
    read_task: 'list_account_changes',
    registration_task: 'sync_accounts',
    event_type: 'account.change_recorded',
    retention_days: CHANGES_KEPT_DAYS,
    resource_types: Object.keys(CHANGED_RESOURCES),
  },
} as const
