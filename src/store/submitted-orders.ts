import type { Assignment, MediaBuy } from '../domain/media-buy/media-buy.ts'
import { AdcpError } from '../errors.ts'
import type { Owner } from './accounts.ts'
import type { Db } from './database.ts'

export interface SubmittedOrderTables {
  submitted_orders: {
    tenant_id: string
    task_id: string
    principal_id: string
    created_at: string
    document: string
  }
}

/** An order that waits for the seller's decision: the buy as planned, and the creatives that the buyer gave each package. */
export interface SubmittedOrder {
  readonly taskId: string
  readonly principalId: string
  readonly buy: MediaBuy
  readonly assignments: readonly (readonly [packageId: string, assignments: readonly Assignment[]])[]
  readonly reason: string
  readonly idempotencyKey: string
}

/** Keeps a submitted order until it is decided. */
export async function insertSubmittedOrder(
  tx: Db,
  owner: Owner,
  order: Omit<SubmittedOrder, 'principalId'>,
  now: Date,
): Promise<void> {
  const { taskId, ...document } = order
  await tx
    .insertInto('submitted_orders')
    .values({
      tenant_id: owner.tenantId,
      task_id: taskId,
      principal_id: owner.principalId,
      created_at: now.toISOString(),
      document: JSON.stringify(document),
    })
    .execute()
}

/** Orders of a publisher that wait for a decision, oldest first. */
export async function listSubmittedOrders(db: Db, tenantId: string): Promise<SubmittedOrder[]> {
  const rows = await orders(db, tenantId).orderBy('created_at').orderBy('task_id').execute()
  return rows.map(orderOf)
}

/** One waiting order. Throws REFERENCE_NOT_FOUND when there is none, or it has been decided. */
export async function getSubmittedOrder(db: Db, tenantId: string, taskId: string): Promise<SubmittedOrder> {
  const row = await orders(db, tenantId).where('task_id', '=', taskId).executeTakeFirst()
  if (!row) throw new AdcpError('REFERENCE_NOT_FOUND', `no order waits under task ${taskId}`, { field: 'task_id' })
  return orderOf(row)
}

/** Takes a decided order off the list. Throws CONFLICT when somebody else decided it at the same moment. */
export async function deleteSubmittedOrder(tx: Db, tenantId: string, taskId: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('submitted_orders')
    .where('tenant_id', '=', tenantId)
    .where('task_id', '=', taskId)
    .executeTakeFirst()
  if (numDeletedRows !== 1n)
    throw new AdcpError('CONFLICT', `the order under task ${taskId} has been decided`, { field: 'task_id' })
}

function orders(db: Db, tenantId: string) {
  return db.selectFrom('submitted_orders').select(['task_id', 'principal_id', 'document']).where('tenant_id', '=', tenantId)
}

function orderOf(row: { task_id: string; principal_id: string; document: string }): SubmittedOrder {
  const document: Omit<SubmittedOrder, 'taskId' | 'principalId'> = JSON.parse(row.document)
  return { ...document, taskId: row.task_id, principalId: row.principal_id }
}
