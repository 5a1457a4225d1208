import { plannedAvailability } from '../../ad-serving/planned-availability.ts'
import type { Flight } from '../../domain/media-buy/flight.ts'
import { HeldInventory } from '../../domain/media-buy/held-inventory.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import { plannedImpressions } from '../../domain/media-buy/planned-impressions.ts'
import { findAccount } from '../../store/account/accounts.ts'
import { findApproval } from '../../store/approval/approvals.ts'
import type { Db } from '../../store/database.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { reservedIn } from '../../store/media-buy/inventory.ts'
import { findProduct } from '../../store/product/products.ts'
import type { QueueEntry } from '../../tasks/approvals/queue.ts'
import type { OrderDocument } from '../../tasks/media-buy/submit-order.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A product of an order and the inventory of its flight, in impressions. */
export interface ProductInventory {
  readonly product_id: string
  readonly name: string
  /** What the order would take, or is expected to bring. */
  readonly asked: number
  /** What other orders leave of the flight's days; undefined for a product that is gone. */
  readonly left: number | undefined
  /** Whether an even spread of `asked` fits on each day. */
  readonly fits: boolean
}

/** What a person wants to know beside the entry itself. */
export interface DecisionFacts {
  readonly buyer_name: string
  readonly account_name: string | undefined
  /** Domain of the brand that is advertised. */
  readonly advertiser: string | undefined
  readonly sandbox: boolean
  readonly inventory: readonly ProductInventory[]
}

/** Who asks, for which advertiser, and what a new order would leave of the inventory. Ids that are gone show as they are. */
export async function decisionFacts({ store }: OperatorContext, tenantId: string, entry: QueueEntry): Promise<DecisionFacts> {
  const db = store.read
  const user = { tenantId, principalId: entry.principal }
  const principal = await findPrincipal(db, tenantId, entry.principal)
  const account = entry.account === '' ? undefined : await findAccount(db, user, entry.account)
  const sandbox = principal?.sandbox === 1 || account?.sandbox === true
  const order = entry.task === 'create_media_buy' ? await orderOf(db, tenantId, entry.id) : undefined
  const pool = { tenantId, pool: sandbox ? entry.principal : '' }
  const inventory = []
  for (const wish of wishesOf(order?.buy.packages ?? [])) inventory.push(await inventoryOf(db, pool, wish))
  return {
    buyer_name: principal?.name ?? entry.principal,
    account_name: account?.document.name,
    advertiser: order?.buy.brand?.domain ?? account?.document.brand?.domain,
    sandbox,
    inventory,
  }
}

async function orderOf(db: Db, tenantId: string, taskId: string): Promise<OrderDocument | undefined> {
  const approval = await findApproval(db, tenantId, taskId)
  return approval && JSON.parse(approval.document)
}

interface Wish {
  readonly productId: string
  readonly flight: Flight
  readonly asked: number
}

/** By product: packages of one product share its inventory. */
function wishesOf(packages: readonly Package[]): readonly Wish[] {
  const wishes = new Map<string, Wish>()
  for (const { productId, pricing, terms } of packages) {
    const before = wishes.get(productId)
    const flight = {
      startsAt: before && before.flight.startsAt < terms.startsAt ? before.flight.startsAt : terms.startsAt,
      endsAt: before && before.flight.endsAt > terms.endsAt ? before.flight.endsAt : terms.endsAt,
    }
    wishes.set(productId, { productId, flight, asked: (before?.asked ?? 0) + plannedImpressions(pricing, terms) })
  }
  return [...wishes.values()]
}

async function inventoryOf(
  db: Db,
  pool: { readonly tenantId: string; readonly pool: string },
  { productId, flight, asked }: Wish,
): Promise<ProductInventory> {
  const product = await findProduct(db, pool.tenantId, productId)
  if (!product) return { product_id: productId, name: productId, asked, left: undefined, fits: false }
  const days = { first: flight.startsAt.slice(0, 10), last: flight.endsAt.slice(0, 10) }
  const held = new HeldInventory(await reservedIn(db, pool, productId, days))
  const dailyCapacity = product.selling.daily_capacity
  const [found] = plannedAvailability([{ productId, flight, impressions: asked, dailyCapacity, held }])
  return { product_id: productId, name: product.name, asked, left: found?.available ?? 0, fits: found?.sufficient === true }
}
