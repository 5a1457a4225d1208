import type { AccountChange } from '../../domain/account/account-change.ts'
import { CHANGE_RECORDED } from '../../domain/account/notification-configs.ts'
import { startBackgroundJob } from '../../platform/scheduler/background-job.ts'
import { OrderedElsewhere, sealChanges } from '../../store/account/account-changes.ts'
import { findAccount } from '../../store/account/accounts.ts'
import type { Db, Store } from '../../store/database.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { endpointsOfAccount, type WebhookEndpoint } from '../../store/webhook/webhook-endpoints.ts'

/** What tasks ask of the changes of accounts. */
export interface AccountChanges {
  /** Puts every change that is committed by now in order. */
  settle(): Promise<void>
}

export interface AccountChangesOptions {
  readonly store: Store
  /** After the commit: webhooks are to be sent. */
  readonly wake: () => void
  readonly clock: () => Date
  readonly onError: (error: unknown) => void
}

/** How soon subscribers hear of a change. */
const EVERY_MS = 1000
/** Changes put in order in one transaction. */
const MOST = 500
/** Two processes seldom meet twice. */
const TRIES = 5

/** Starts putting changes of accounts in order, apart from the calls that make them, and telling subscribers (AdCP 3.2 `account.change_recorded`). */
export function startAccountChanges({
  store,
  wake,
  clock,
  onError,
}: AccountChangesOptions): AccountChanges & { stop(): Promise<void> } {
  const order = async (): Promise<boolean> => {
    const waiting = await store.read.selectFrom('account_change_entries').select('entry_id').limit(1).executeTakeFirst()
    if (!waiting) return false
    const { ordered, told } = await store.transaction(
      async (tx) => {
        const changes = await sealChanges(tx, MOST, clock())
        return { ordered: changes.length, told: await tell(tx, changes, clock()) }
      },
      { isolation: 'read-committed' },
    )
    if (told) wake()
    return ordered === MOST
  }
  const look = async (): Promise<boolean> => {
    try {
      return await order()
    } catch (error) {
      if (error instanceof OrderedElsewhere) return true
      throw error
    }
  }
  const job = startBackgroundJob(look, EVERY_MS, onError)
  return {
    async settle() {
      for (let tries = 0; tries < TRIES; tries += 1) {
        let more = true
        try {
          while (more) more = await order()
          return
        } catch (error) {
          if (!(error instanceof OrderedElsewhere)) throw error
        }
      }
    },
    stop: () => job.stop(),
  }
}

/** Writes the webhooks about these changes. True when there are any. */
async function tell(tx: Db, changes: readonly AccountChange[], now: Date): Promise<boolean> {
  const followers = new Map<string, readonly WebhookEndpoint[]>()
  let told = false
  for (const change of changes) {
    const { tenantId, accountId } = change
    const key = `${tenantId} ${accountId}`
    const known = followers.get(key) ?? (await followersOf(tx, tenantId, accountId))
    followers.set(key, known)
    for (const endpoint of known) {
      const { subscriber } = endpoint.settings
      if (!subscriber) continue
      await enqueue(tx, endpoint, { accountChange: change, subscriberId: subscriber.id, at: now }, now)
      told = true
    }
  }
  return told
}

/** Who follows the changes of an account and may still use it. */
async function followersOf(tx: Db, tenantId: string, accountId: string): Promise<readonly WebhookEndpoint[]> {
  const followers: WebhookEndpoint[] = []
  for (const endpoint of await endpointsOfAccount(tx, tenantId, accountId)) {
    if (!endpoint.settings.subscriber?.eventTypes.includes(CHANGE_RECORDED)) continue
    if (await findAccount(tx, endpoint, accountId)) followers.push(endpoint)
  }
  return followers
}
