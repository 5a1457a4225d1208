import { randomUUID } from 'node:crypto'
import type { ProductsFile } from '../../src/domain/product/products-file.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import type { AgentClient, TaskReply } from './client.ts'
import { productDocument } from './media-buy-agent.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

export const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

const PRODUCTS_FILE: ProductsFile = {
  version: 1,
  publisher: { name: 'Acme', domain: 'acme.example' },
  properties: [
    {
      property_id: 'news',
      property_type: 'website',
      name: 'News',
      identifiers: [{ type: 'domain', value: 'news.acme.example' }],
      tags: ['news', 'premium'],
      supported_channels: ['display'],
    },
    {
      property_id: 'play',
      property_type: 'ctv_app',
      name: 'Play',
      identifiers: [
        { type: 'roku_store_id', value: '990001' },
        { type: 'fire_tv_asin', value: 'B0ACME' },
      ],
      tags: ['premium'],
      supported_channels: ['ctv'],
    },
  ],
  collections: [
    {
      collection_id: 'trail_notes',
      name: 'Trail Notes',
      kind: 'series',
      genre: ['outdoor'],
      content_rating: { system: 'podcast', rating: 'clean' },
      distribution: [{ publisher_domain: 'acme.example', identifiers: [{ type: 'imdb_id', value: 'tt1000001' }] }],
    },
    {
      collection_id: 'late_crimes',
      name: 'Late Crimes',
      kind: 'series',
      genre: ['crime'],
      content_rating: { system: 'podcast', rating: 'explicit' },
      distribution: [{ publisher_domain: 'acme.example', identifiers: [{ type: 'imdb_id', value: 'tt1000002' }] }],
    },
    { collection_id: 'harbour_weekly', name: 'Harbour Weekly', kind: 'publication' },
  ],
  products: [
    productDocument('news', {
      publisher_properties: [{ publisher_domain: 'acme.example', selection_type: 'by_id', property_ids: ['news'] }],
    }),
  ],
}

export interface ListsAgent extends TestAgent {
  /** Calls a mutating task for the buyer's account with a fresh idempotency key. */
  run(task: string, args?: object, client?: AgentClient): Promise<TaskReply>
  /** Creates a property list of these domains and returns the reply. */
  propertyList(domains: readonly string[], more?: object): Promise<TaskReply>
}

/** An agent whose tenant has properties and collections, and a buyer with one account. */
export async function startListsAgent(options: AgentOptions = {}): Promise<ListsAgent> {
  const agent = await startAgent({ clock: () => new Date('2026-03-01T12:00:00Z'), ...options })
  await agent.server.store.transaction((tx) => saveProducts(tx, 'acme', PRODUCTS_FILE, { merge: false }, new Date()))
  const run: ListsAgent['run'] = (task, args = {}, client = agent.buyer) =>
    client.call(task, { idempotency_key: randomUUID(), ...args })
  const declared = await run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  if (declared.isError) throw new Error(JSON.stringify(declared.data))
  return {
    ...agent,
    run,
    propertyList: (domains, more = {}) =>
      run('create_property_list', {
        account: ACCOUNT,
        name: 'Approved',
        base_properties: [{ selection_type: 'identifiers', identifiers: domains.map((value) => ({ type: 'domain', value })) }],
        ...more,
      }),
  }
}
