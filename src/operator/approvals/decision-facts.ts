import type { Package } from '../../domain/media-buy/media-buy.ts'
import { CHANGE_TASKS } from '../../domain/media-buy/waits-for.ts'
import { findAccount } from '../../store/account/accounts.ts'
import { findApproval } from '../../store/approval/approvals.ts'
import type { Db } from '../../store/database.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { holdsOf } from '../../store/media-buy/inventory-holds.ts'
import { findTenantOrders } from '../../store/media-buy/order-list.ts'
import type { UpdateDocument } from '../../tasks/media-buy/change-approved.ts'
import { PLACING_TASKS } from '../../tasks/media-buy/place-order.ts'
import type { OrderDocument } from '../../tasks/media-buy/submit-order.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { ApprovalEntry } from './approval-shapes.ts'
import { decisionInventory, type ProductInventory } from './decision-inventory.ts'
import { type OrderDifference, orderDifferences } from './order-differences.ts'

/** What a person wants to know beside the entry itself. */
export interface DecisionFacts {
  readonly buyer_name: string
  readonly account_name: string | undefined
  /** Domain of the brand that is advertised. */
  readonly advertiser: string | undefined
  readonly sandbox: boolean
  readonly inventory: readonly ProductInventory[]
  /** Of a change: the terms of the order that become different. */
  readonly differences: readonly OrderDifference[]
}

/**
 * Who asks, for which advertiser, what an order takes of the inventory and what others leave of it, and what a change makes different. Ids that are gone show
 * as they are.
 */
export async function decisionFacts(
  { store, clock }: OperatorContext,
  tenantId: string,
  entry: ApprovalEntry,
): Promise<DecisionFacts> {
  const db = store.read
  const user = { tenantId, principalId: entry.principal }
  const buyer = await findPrincipal(db, tenantId, entry.principal)
  const account = entry.account === '' ? undefined : await findAccount(db, user, entry.account)
  const sandbox = buyer?.sandbox === 1 || account?.sandbox === true
  const { brand, packages, now, proposalId } = await orderOf(db, tenantId, entry)
  const pool = { tenantId, pool: sandbox ? entry.principal : '' }
  // What the proposal of the order holds is not in its way.
  const at = { now: clock(), own: proposalId === undefined ? [] : await holdsOf(db, user, proposalId) }
  return {
    buyer_name: buyer?.name ?? entry.principal,
    account_name: account?.document.name,
    advertiser: brand ?? account?.document.brand?.domain,
    sandbox,
    inventory: await decisionInventory(db, pool, { packages, now }, at),
    differences: now.length === 0 || packages.length === 0 ? [] : orderDifferences(now, packages),
  }
}

interface WantedOrder {
  readonly brand?: string | undefined
  readonly proposalId?: string | undefined
  readonly packages: readonly Package[]
  readonly now: readonly Package[]
}

/** The tasks that bring orders, and those that change them. */
const ORDERS: readonly string[] = PLACING_TASKS
const CHANGES: readonly string[] = CHANGE_TASKS

/** The order that an entry brings or changes; no packages for an entry that is about none. */
async function orderOf(db: Db, tenantId: string, { task, id, ...summary }: ApprovalEntry): Promise<WantedOrder> {
  if (ORDERS.includes(task)) {
    const document: OrderDocument | undefined = await documentOf(db, tenantId, id)
    const buy = document?.buy
    return { brand: buy?.brand?.domain, proposalId: buy?.proposalId, packages: buy?.packages ?? [], now: [] }
  }
  const { media_buy_id: mediaBuyId } = summary
  if (!CHANGES.includes(task) || typeof mediaBuyId !== 'string') return { packages: [], now: [] }
  const document: UpdateDocument | undefined = await documentOf(db, tenantId, id)
  const [order] = await findTenantOrders(db, tenantId, [mediaBuyId])
  return { brand: order?.buy.brand?.domain, packages: document?.planned ?? [], now: order?.buy.packages ?? [] }
}

async function documentOf(db: Db, tenantId: string, taskId: string) {
  const approval = await findApproval(db, tenantId, taskId)
  return approval && JSON.parse(approval.document)
}
