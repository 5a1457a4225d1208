import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

/** What a call came to. */
export type Answer =
  | { readonly kind: 'bought'; readonly mediaBuyId: string; readonly replayed: boolean }
  | { readonly kind: 'read' }
  /** `retryAfter`: seconds, when the agent names them. */
  | { readonly kind: 'refused'; readonly code: string; readonly retryAfter: number | undefined }
  /** The connection broke, or a load balancer answered: nobody knows what became of the call. */
  | { readonly kind: 'lost' }

/** A buyer agent with a number of connections of its own. */
export interface Buyer {
  declareAccount(): Promise<void>
  /** Sends the one media buy of a key. */
  buy(key: string): Promise<Answer>
  /** Asks for products. */
  read(): Promise<Answer>
  close(): void
}

/** A buyer that speaks to an agent's MCP address. */
export function buyerAt(url: string, token: string, connections: number): Buyer {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const call = (name: string, args: object) =>
    post(url, token, agent, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }))
  return {
    async declareAccount() {
      const accounts = [{ ...ACCOUNT, billing: 'operator' }]
      const reply = await call('sync_accounts', { idempotency_key: randomUUID(), accounts })
      if (reply?.result?.isError !== false && reply?.result?.structuredContent?.accounts === undefined) {
        throw new Error(`the account was not declared: ${JSON.stringify(reply)}`)
      }
    },
    async buy(key) {
      const reply = await call('create_media_buy', {
        idempotency_key: key,
        account: ACCOUNT,
        brand: ACCOUNT.brand,
        start_time: START,
        end_time: END,
        packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
      })
      if (reply === undefined) return { kind: 'lost' }
      const { media_buy_id: mediaBuyId, replayed } = reply.result?.structuredContent ?? {}
      if (typeof mediaBuyId === 'string') return { kind: 'bought', mediaBuyId, replayed: replayed === true }
      return refusalOf(reply)
    },
    async read() {
      const reply = await call('get_products', { buying_mode: 'brief', brief: 'video', pagination: { max_results: 2 } })
      if (reply === undefined) return { kind: 'lost' }
      return Array.isArray(reply.result?.structuredContent?.products) ? { kind: 'read' } : refusalOf(reply)
    },
    close: () => agent.destroy(),
  }
}

function refusalOf(reply: Reply): Answer {
  const error = reply.result?.structuredContent?.adcp_error ?? reply.error?.data?.adcp_error
  const retryAfter = typeof error?.retry_after === 'number' ? error.retry_after : undefined
  return { kind: 'refused', code: String(error?.code ?? JSON.stringify(reply)), retryAfter }
}

interface Refusal {
  readonly code?: unknown
  readonly retry_after?: unknown
}

interface Reply {
  readonly result?: {
    readonly isError?: boolean
    readonly structuredContent?: {
      readonly media_buy_id?: unknown
      readonly replayed?: unknown
      readonly accounts?: unknown
      readonly products?: unknown
      readonly adcp_error?: Refusal
    }
  }
  readonly error?: { readonly data?: { readonly adcp_error?: Refusal } }
}

/** Undefined: no JSON came back. */
function post(url: string, token: string, agent: Agent, body: string): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => resolve(undefined))
      response.on('end', () => {
        try {
          resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
        } catch {
          resolve(undefined)
        }
      })
    })
    sent.on('error', () => resolve(undefined))
    sent.end(body)
  })
}
