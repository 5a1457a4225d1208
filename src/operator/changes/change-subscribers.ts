import { randomUUID } from 'node:crypto'
import { CHANGE_TYPE, TEST_CHANGE } from '../../domain/audit/change-type.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { chainHead } from '../../store/audit/audit.ts'
import {
  addSubscriber,
  deleteSubscriber,
  type FeedSubscriberRow,
  listSubscribers,
} from '../../store/registry/feed-subscribers.ts'
import { auditedStore } from '../audited-store.ts'
import { requireAddress } from '../directory/feed-subscribers.ts'
import type { OperatorContext } from '../operator-context.ts'

/** An address that gets the changes of a publisher by signed webhooks. */
export type ShownChangeSubscriber = ReturnType<typeof present>

const MOST_TYPES = 50
/** Each costs a request for every change. */
const MOST_SUBSCRIBERS = 20

/**
 * Lets an address have every change of a publisher from now on: what its people and its buyers do, in the order of the audit log, signed as every
 * webhook of this deployment. `types` are acts or groups of acts (`orders.pause`, `orders.*`, `create_media_buy`). Throws INVALID_REQUEST.
 */
export async function subscribeToChanges(
  context: OperatorContext,
  {
    tenantId,
    url,
    types = [],
  }: { readonly tenantId: string; readonly url: string; readonly types?: readonly string[] | undefined },
): Promise<ShownChangeSubscriber> {
  await requireAddress(url, context.config.mode === 'development')
  const bad = types.find((type) => !CHANGE_TYPE.test(type))
  if (bad !== undefined || types.length > MOST_TYPES) {
    const message = `"${(bad ?? types.join()).slice(0, 100)}" is no act; send e.g. orders.pause, orders.* or create_media_buy`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'types' })
  }
  const subscriberId = `chs_${randomUUID()}`
  const store = auditedStore(context, { task: 'changes.subscribe', tenant: tenantId, subject: subscriberId })
  const now = context.clock().toISOString()
  return store.transaction(async (tx) => {
    if ((await listSubscribers(tx, tenantId)).length >= MOST_SUBSCRIBERS)
      throw new AdcpError('INVALID_REQUEST', `a publisher has ${MOST_SUBSCRIBERS} subscribers at most`, { field: 'url' })
    const { seq: position } = await chainHead(tx, tenantId)
    const wanted = types.length === 0 ? null : types.join(',')
    const attempts = { failures: 0, next_attempt_at: now, last_status: null, last_error: null }
    const row = { subscriber_id: subscriberId, tenant_id: tenantId, url, types: wanted, position, ...attempts, added_at: now }
    await addSubscriber(tx, row)
    return present(row, position)
  })
}

/** Addresses that get the changes of a publisher, and how far each is. */
export async function listChangeSubscribers(
  { store }: OperatorContext,
  tenantId: string,
): Promise<readonly ShownChangeSubscriber[]> {
  const { seq } = await chainHead(store.read, tenantId)
  return (await listSubscribers(store.read, tenantId)).map((row) => present(row, seq))
}

/** Ends a subscription. Throws REFERENCE_NOT_FOUND. */
export async function unsubscribeFromChanges(
  context: OperatorContext,
  { tenantId, subscriberId }: { readonly tenantId: string; readonly subscriberId: string },
): Promise<void> {
  const store = auditedStore(context, { task: 'changes.unsubscribe', tenant: tenantId, subject: subscriberId })
  await store.transaction(async (tx) => {
    if (!(await deleteSubscriber(tx, tenantId, subscriberId))) throw unknown(subscriberId)
  })
}

/** Sends a subscriber, and no other, a change that is a test: on the road of every change, so within seconds. Throws REFERENCE_NOT_FOUND. */
export async function testChangeSubscriber(
  context: OperatorContext,
  { tenantId, subscriberId }: { readonly tenantId: string; readonly subscriberId: string },
): Promise<void> {
  const store = auditedStore(context, { task: TEST_CHANGE, tenant: tenantId, subject: subscriberId })
  await store.transaction(async (tx) => {
    const all = await listSubscribers(tx, tenantId)
    if (!all.some((row) => row.subscriber_id === subscriberId)) throw unknown(subscriberId)
  })
}

function present({ types, position, tenant_id: _tenant, ...row }: FeedSubscriberRow, last: number) {
  return { ...row, types: types === null ? ('all' as const) : types.split(','), behind: Math.max(0, last - Number(position)) }
}

function unknown(subscriberId: string): AdcpError {
  return new AdcpError('REFERENCE_NOT_FOUND', `there is no subscriber ${subscriberId.slice(0, 100)}`, { field: 'subscriber_id' })
}
