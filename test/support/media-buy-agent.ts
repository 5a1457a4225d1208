import { randomUUID } from 'node:crypto'
import type { ProductDocument } from '../../src/domain/product/products-file.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import type { AgentClient, TaskReply } from './client.ts'
import { product } from './media-buy-fixtures.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

/** A product of the import file. */
export function productDocument(
  id: string,
  offer: Partial<ProductDocument> = {},
  selling: Partial<ProductDocument['selling']> = {},
): ProductDocument {
  const { offer: base } = product(id)
  return {
    ...base,
    format_ids: ['display_300x250'],
    ...offer,
    selling: { daily_capacity: 1_000_000, targeting: { keywords: true }, ...selling },
  }
}

export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

/** An agent with products, a buyer with an account, and a clock in the test's hand. */
export interface MediaBuyAgent extends TestAgent {
  setClock(iso: string): void
  /** Calls a mutating task for the account with a fresh idempotency key. */
  run(task: string, args: object, client?: AgentClient): Promise<TaskReply>
  create(overrides?: object, client?: AgentClient): Promise<TaskReply>
}

export async function startMediaBuyAgent(
  products: readonly ProductDocument[],
  options: AgentOptions = {},
): Promise<MediaBuyAgent> {
  let now = new Date('2026-03-01T12:00:00Z')
  const agent = await startAgent({ clock: () => now, ...options })
  await agent.server.store.transaction((tx) => saveProducts(tx, agent.tenant, { version: 1, products }, { merge: false }, now))
  const run: MediaBuyAgent['run'] = (task, args, client = agent.buyer) =>
    client.call(task, { idempotency_key: randomUUID(), account: ACCOUNT, ...args })
  const declared = await agent.buyer.call('sync_accounts', {
    idempotency_key: randomUUID(),
    accounts: [{ ...ACCOUNT, billing: 'operator' }],
  })
  if (declared.isError) throw new Error(JSON.stringify(declared.data))
  return {
    ...agent,
    setClock(iso) {
      now = new Date(iso)
    },
    run,
    create: (overrides = {}, client) =>
      run(
        'create_media_buy',
        {
          brand: { domain: 'brand.example' },
          start_time: '2026-03-02T00:00:00Z',
          end_time: '2026-03-12T00:00:00Z',
          packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }],
          ...overrides,
        },
        client,
      ),
  }
}
