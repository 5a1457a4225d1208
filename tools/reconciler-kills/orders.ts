import { randomUUID } from 'node:crypto'
import { type Answer, type Caller, callTool } from '../testing/call-tool.ts'

const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const DAY_MS = 86_400_000
const ANSWER_MS = 5_000

/** The demo products that the two ad servers serve. */
export const PRODUCTS = { embedded: 'ros_display', upstream: 'outdoor_lifestyle_display' } as const
export type Served = keyof typeof PRODUCTS

/** An order as its buyer was told that it is. */
export interface OrderState {
  readonly mediaBuyId: string
  readonly at: Served
  readonly revision: number
  readonly packageIds: readonly string[]
  readonly budget: number
  readonly paused: boolean
  readonly canceled: boolean
}

interface Call {
  readonly task: string
  readonly args: Readonly<Record<string, unknown>>
  /** What the order is when the call is acknowledged. */
  done(answer: Answer): OrderState
}

/** A buyer who goes on making and changing orders. A call whose answer is lost is sent again with its key, until it is answered. */
export class OrderStream {
  readonly orders = new Map<string, OrderState>()
  acknowledged = 0
  resent = 0
  readonly refusals = new Map<string, number>()
  #pending: Call | undefined
  readonly #caller: Caller
  readonly #chance: () => number

  constructor(origin: string, token: string, chance: () => number) {
    this.#caller = { origin, token, answerMs: ANSWER_MS }
    this.#chance = chance
  }

  async declareAccount(): Promise<void> {
    await callTool(this.#caller, 'sync_accounts', {
      idempotency_key: randomUUID(),
      accounts: [{ ...ACCOUNT, billing: 'operator' }],
    })
  }

  /** Sends calls until the server is gone, or `stop` is called. */
  run(): { stop(): Promise<void> } {
    let running = true
    const work = (async () => {
      while (running) if (!(await this.#once())) break
    })()
    return {
      async stop() {
        running = false
        await work
      },
    }
  }

  /** Sends what was not answered once more. */
  async settle(): Promise<void> {
    if (this.#pending) await this.#once()
  }

  /** False when the answer was lost. */
  async #once(): Promise<boolean> {
    const call = this.#pending ?? this.#next()
    if (this.#pending) this.resent += 1
    this.#pending = call
    const answer = await callTool(this.#caller, call.task, call.args).catch(() => undefined)
    if (answer === undefined) return false
    const code: unknown = answer.adcp_error?.code
    // In flight: the process that had the call is gone, and its claim is taken over soon.
    if (code === 'IDEMPOTENCY_IN_FLIGHT' || code === 'SERVICE_UNAVAILABLE') return true
    this.#pending = undefined
    if (typeof code === 'string') {
      this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1)
      return true
    }
    this.acknowledged += 1
    const order = call.done(answer)
    this.orders.set(order.mediaBuyId, order)
    return true
  }

  #next(): Call {
    const open = [...this.orders.values()].filter(({ at, canceled }) => at === 'embedded' && !canceled)
    const order = open[Math.floor(this.#chance() * open.length)]
    if (!order || open.length < 4 || this.#chance() < 0.3) return this.#create(this.#chance() < 0.5 ? 'upstream' : 'embedded')
    const act = this.#chance()
    if (act < 0.5) return this.#budget(order)
    return act < 0.85 ? this.#pause(order) : this.#change(order, { canceled: true }, { canceled: true })
  }

  #create(at: Served): Call {
    const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * DAY_MS).toISOString())
    const price =
      at === 'embedded' ? { pricing_option_id: 'cpm_usd_auction', bid_price: 2 } : { pricing_option_id: 'cpm_usd_fixed' }
    const packages = [1, 2].map(() => ({ product_id: PRODUCTS[at], ...price, budget: 2000 }))
    const args = { idempotency_key: randomUUID(), account: ACCOUNT, brand: ACCOUNT.brand, start_time, end_time, packages }
    return {
      task: 'create_media_buy',
      args,
      done: (answer) => ({
        mediaBuyId: answer.media_buy_id,
        at,
        revision: answer.revision,
        packageIds: answer.packages.map((pkg: { package_id: string }) => pkg.package_id),
        budget: 2000,
        paused: false,
        canceled: false,
      }),
    }
  }

  #budget(order: OrderState): Call {
    const budget = order.budget + 10
    const packages = order.packageIds.map((package_id) => ({ package_id, budget }))
    return this.#change(order, { packages }, { budget })
  }

  #pause(order: OrderState): Call {
    return this.#change(order, { paused: !order.paused }, { paused: !order.paused })
  }

  #change(order: OrderState, change: object, after: Partial<OrderState>): Call {
    const { mediaBuyId: media_buy_id, revision } = order
    const args = { idempotency_key: randomUUID(), account: ACCOUNT, media_buy_id, revision, ...change }
    return { task: 'update_media_buy', args, done: (answer) => ({ ...order, ...after, revision: answer.revision }) }
  }
}
