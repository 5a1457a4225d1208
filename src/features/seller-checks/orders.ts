import { randomUUID } from 'node:crypto'
import { mayStart, startDaysOf } from '../../domain/product/season.ts'
import { isObject } from '../../protocol/is-object.ts'
import { broken, type Check, type Found, unverified } from './check.ts'
import { type Row, rowsIn } from './products.ts'
import type { Caller, CallOptions, SellerAnswer } from './seller-caller.ts'

/** Who pays, on a sandbox account: nothing is spent. */
const ACCOUNT = { brand: { domain: 'acme.example' }, operator: 'acme.example', sandbox: true } as const

/** What can be ordered of a seller without spending money. */
export interface Counter {
  readonly productId: string
  readonly pricingOptionId: string
  readonly currency: string
  readonly budget: number
  readonly bid: number | undefined
  readonly floor: number | undefined
  readonly now: () => Date
}

/** Enough for a seller without a least spend; in units of the currency. */
const BUDGET = 500
const DAY_MS = 86_400_000

/** The first product at a price per thousand impressions, for orders of the checks; undefined where there is none. */
export function counterOf(products: readonly Row[], now: () => Date): Counter | undefined {
  for (const product of products)
    for (const option of rowsIn(product, 'pricing_options')) {
      const { pricing_model: model, fixed_price: fixed, floor_price: floor, min_spend_per_package: least } = option
      const guidance = isObject(option.price_guidance) ? option.price_guidance.p50 : undefined
      const bid = [guidance, floor].find((amount) => typeof amount === 'number')
      if (
        model !== 'cpm' ||
        (fixed === undefined && bid === undefined) ||
        !mayStart(startDaysOf(option), startOf(now).toISOString().slice(0, 10))
      )
        continue
      return {
        productId: String(product.product_id),
        pricingOptionId: String(option.pricing_option_id),
        currency: String(option.currency),
        budget: Math.max(BUDGET, typeof least === 'number' ? least : 0),
        bid: fixed === undefined && typeof bid === 'number' ? bid : undefined,
        floor: typeof floor === 'number' ? floor : undefined,
        now,
      }
    }
  return undefined
}

/** When an order of the checks starts. */
function startOf(now: () => Date): Date {
  return new Date(now().getTime() + 2 * DAY_MS)
}

/** Declares the sandbox account. Returns why no order can be tried, or undefined. */
export async function openAccount(call: Caller): Promise<string | undefined> {
  const answer = await call('sync_accounts', {
    idempotency_key: randomUUID(),
    accounts: [{ ...ACCOUNT, billing: 'operator' }],
  })
  if (answer.refusal) return `sync_accounts is refused: ${answer.refusal.message}`
  const [account] = rowsIn(answer.payload, 'accounts')
  return account?.status === 'active' ? undefined : `the sandbox account is ${String(account?.status ?? 'refused')}`
}

function orderOf({ productId, pricingOptionId, budget, bid, now }: Counter, changes: { product?: string; end?: Date } = {}) {
  const start = startOf(now)
  return {
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    idempotency_key: randomUUID(),
    start_time: start.toISOString(),
    end_time: (changes.end ?? new Date(start.getTime() + 7 * DAY_MS)).toISOString(),
    packages: [
      {
        product_id: changes.product ?? productId,
        pricing_option_id: pricingOptionId,
        budget,
        ...(bid !== undefined && { bid_price: bid }),
      },
    ],
  }
}

/** The order that an answer names, booked or waiting for approval. */
const orderIn = ({ payload }: SellerAnswer): string | undefined =>
  [payload.media_buy_id, payload.task_id].find((id) => typeof id === 'string')

/** An order that the seller should refuse: a code says that it was. Cancels what was booked instead. */
async function mustRefuse(call: Caller, order: object, what: string, options?: CallOptions): Promise<Found> {
  const answer = await call('create_media_buy', order, options)
  if (answer.refusal !== undefined) return undefined
  await cancel(call, answer.payload)
  return broken(`${what} is taken as ${orderIn(answer) ?? 'an answer without an id'}`)
}

/** Ends an order of a check, so that it can be repeated without leaving anything in flight. */
async function cancel(call: Caller, { media_buy_id: id, revision }: Row): Promise<SellerAnswer | undefined> {
  if (typeof id !== 'string') return undefined
  return call('update_media_buy', {
    ...{ account: ACCOUNT, media_buy_id: id, canceled: true, idempotency_key: randomUUID() },
    ...(revision !== undefined && { revision }),
  })
}

async function ordersNamed(call: Caller, id: string): Promise<readonly Row[]> {
  const answer = await call('get_media_buys', { account: ACCOUNT, media_buy_ids: [id] })
  return rowsIn(answer.payload, 'media_buys').filter(({ media_buy_id: own }) => own === id)
}

/** Promises about orders, each on a sandbox account. */
export const ORDER_CHECKS: readonly Check<Counter>[] = [
  {
    id: 'unknown-product',
    group: 'orders',
    title: 'an order of a product that does not exist is refused',
    run: (call, counter) => mustRefuse(call, orderOf(counter, { product: `no-such-product-${randomUUID()}` }), 'it'),
  },
  ...([null, `made-up-${randomUUID()}`] as const).map(
    (key): Check<Counter> => ({
      id: key === null ? 'order-without-key' : 'order-with-made-up-key',
      group: 'identity',
      title: `an order with ${key === null ? 'no credentials' : 'credentials that nobody gave out'} is refused`,
      run: (call, counter) => mustRefuse(call, orderOf(counter), 'it', { key }),
    }),
  ),
  {
    id: 'flight-over',
    group: 'orders',
    title: 'an order whose flight ends before it begins is refused',
    run: (call, counter) => mustRefuse(call, orderOf(counter, { end: new Date(counter.now().getTime() - DAY_MS) }), 'it'),
  },
  {
    id: 'below-floor',
    group: 'orders',
    title: 'a bid below the floor is refused',
    async run(call, counter) {
      if (counter.bid === undefined || counter.floor === undefined || counter.floor <= 0)
        return unverified('the price that was tried has no floor')
      const bid = counter.floor / 10
      return mustRefuse(call, orderOf({ ...counter, bid }), `a bid of ${bid} under a floor of ${counter.floor}`)
    },
  },
  {
    id: 'repeated-order',
    group: 'orders',
    title: 'the same order under the same key is one order, another under this key is refused',
    async run(call, counter) {
      const order = orderOf(counter)
      const first = await call('create_media_buy', order)
      if (first.refusal) return unverified(`a plain order is refused: ${first.refusal.code} ${first.refusal.message}`)
      const again = await call('create_media_buy', order)
      const ids = [first, again].map(orderIn)
      const other = await call('create_media_buy', { ...order, packages: order.packages.map(twice) })
      await cancel(call, first.payload)
      if (ids[0] !== ids[1]) return broken(`repeated, it is ${ids[1]} beside ${ids[0]}`)
      if (other.refusal === undefined)
        return broken(`with another budget and the same key it is answered, not IDEMPOTENCY_CONFLICT`)
      return undefined
    },
  },
  {
    id: 'order-kept',
    group: 'orders',
    title: 'an order of the sandbox is shown as it was booked, is not called a real one, and can be cancelled',
    async run(call, counter) {
      const booked = await call('create_media_buy', orderOf(counter))
      if (booked.refusal) return unverified(`a plain order is refused: ${booked.refusal.code}`)
      const { media_buy_id: id } = booked.payload
      if (typeof id !== 'string') return unverified('the order waits for approval')
      const [shown] = await ordersNamed(call, id)
      const ended = await cancel(call, { revision: booked.payload.revision, ...shown, media_buy_id: id })
      const [after] = await ordersNamed(call, id)
      return faultOf(counter, booked, shown) ?? faultOfEnd(ended, after)
    },
  },
  {
    id: 'unknown-order',
    group: 'orders',
    title: 'an order that does not exist has no delivery and cannot be changed',
    async run(call) {
      const id = `no-such-order-${randomUUID()}`
      const delivery = await call('get_media_buy_delivery', { account: ACCOUNT, media_buy_ids: [id] })
      const invented = rowsIn(delivery.payload, 'media_buy_deliveries').find(({ media_buy_id: own }) => own === id)
      if (invented) return broken(`get_media_buy_delivery has a row of ${id} (${String(invented.status)})`)
      const request = { account: ACCOUNT, media_buy_id: id, paused: true, idempotency_key: randomUUID() }
      const changed = await call('update_media_buy', request)
      return changed.refusal ? undefined : broken(`update_media_buy of ${id} is answered as if there were one`)
    },
  },
]

function twice<Package extends { readonly budget: number }>(each: Package): Package {
  return { ...each, budget: each.budget * 2 }
}

function faultOf({ budget, productId }: Counter, booked: SellerAnswer, shown: Row | undefined): Found {
  if (booked.payload.sandbox === false) return broken('the order of a sandbox account says sandbox: false')
  if (shown === undefined) return broken('get_media_buys does not show it')
  const [line] = rowsIn(shown, 'packages')
  if (line?.product_id !== undefined && line.product_id !== productId)
    return broken(`its package is of ${String(line.product_id)}, not of ${productId}`)
  const amount = line?.budget ?? shown.total_budget
  const own = isObject(amount) ? (amount.amount ?? amount.total) : amount
  return typeof own === 'number' && own !== budget ? broken(`its budget is ${own}, not ${budget}`) : undefined
}

function faultOfEnd(ended: SellerAnswer | undefined, after: Row | undefined): Found {
  if (ended?.refusal) return unverified(`it cannot be cancelled: ${ended.refusal.code} ${ended.refusal.message}`)
  const status = String(after?.media_buy_status ?? after?.status)
  // An answer that waits says so; the order goes on until then.
  if (ended?.payload.status === 'submitted') return undefined
  return ['canceled', 'completed'].includes(status) ? undefined : broken(`cancelled, it is ${status}`)
}
