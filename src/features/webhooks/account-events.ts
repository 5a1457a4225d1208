import type { Account } from '../../domain/account/account.ts'
import { TRANSITIONS } from '../../domain/account/lifecycle.ts'
import { findTenantAccount } from '../../store/account/tenant-accounts.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { reschedule, unschedule, WHEN_ASKED } from '../../store/webhook/scheduled-events.ts'
import { findEndpoint } from '../../store/webhook/webhook-endpoints.ts'
import type { DueEvent } from './due-event.ts'

/** Tells a change of an account's status to the call that declared it (AdCP sync_accounts, push_notification_config). */
export async function tellAccount({ store, now, event }: DueEvent): Promise<void> {
  const account = await findTenantAccount(store.read, event.tenantId, event.subjectId)
  const endpoint = await findEndpoint(store.read, event.endpointId)
  await store.transaction(async (tx) => {
    const isOver = !account || TRANSITIONS[account.status].length === 0
    const state = { ...event.state, status: account?.status }
    const mine = isOver ? await unschedule(tx, event) : await reschedule(tx, event, WHEN_ASKED, state)
    if (!mine || !account || !endpoint) return
    if (account.status !== event.state.status) {
      const { taskId, taskType } = endpoint
      const message = `account ${account.accountId} is ${account.status}${reasonOf(account)
        .map((text) => `: ${text}`)
        .join('')}`
      await enqueue(tx, endpoint, { taskId, taskType, status: 'completed', message, at: now, result: resultOf(account) }, now)
    }
  })
}

/** The account as a sync_accounts response reports it. */
function resultOf(account: Account): object {
  const { brand, operator, name, billing, setup } = account.document
  const warnings = reasonOf(account)
  return {
    accounts: [
      {
        account_id: account.accountId,
        brand,
        operator,
        name,
        action: 'updated',
        status: account.status,
        ...(billing && { billing }),
        ...(setup && { setup }),
        ...(warnings.length > 0 && { warnings }),
      },
    ],
  }
}

function reasonOf({ document }: Account): string[] {
  const reason: unknown = document.ext && Reflect.get(document.ext, 'status_reason')
  return typeof reason === 'string' ? [reason] : []
}
