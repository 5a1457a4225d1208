import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { saveProducts } from '../../../src/store/product/save-products.ts'
import type { agentClient } from '../../support/client.ts'
import { ACCOUNT, type ListsAgent, startListsAgent } from '../../support/lists-agent.ts'
import { productDocument } from '../../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const schemas = new Schemas()
let agent: ListsAgent
let receiver: WebhookReceiver
let now = new Date('2026-03-01T12:00:00Z')
let buyer: ReturnType<typeof agentClient>

beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startListsAgent({ sandbox: true, clock: () => now, webhooks: { limits: { pollMs: 20 } } })
  buyer = await agent.buyerOn(ACCOUNT, { principal: 'lister', sandbox: true })
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

const call = async (task: string, args: object) => {
  const { data, isError } = await buyer.call(task, { idempotency_key: crypto.randomUUID(), ...args })
  expect(isError, JSON.stringify(data)).toBe(false)
  return data
}
const settled = async () => {
  const { scheduler, dispatcher } = agent.server.webhooks
  scheduler.wake()
  await scheduler.idle()
  dispatcher.wake()
  await dispatcher.idle()
}
const domains = (...values: string[]) => [
  { selection_type: 'identifiers', identifiers: values.map((value) => ({ type: 'domain', value })) },
]
const listOf = async (...values: string[]) =>
  (await call('create_property_list', { name: 'Followed', base_properties: domains(...values) })).list.list_id as string

describe('changes of lists', () => {
  it('are told with a summary, signed twice over, once for each change', async () => {
    const id = await listOf('a.example', 'b.example')
    const followed = await call('update_property_list', { list_id: id, webhook_url: `${receiver.origin}/property` })
    expect(followed.list.webhook_url).toBe(`${receiver.origin}/property`)
    await settled()
    expect(receiver.at('/property')).toEqual([])
    await call('update_property_list', { list_id: id, base_properties: domains('b.example', 'c.example', 'd.example') })
    await settled()
    await call('update_property_list', { list_id: id, description: 'the same members' })
    await settled()
    const [webhook, ...more] = receiver.at('/property')
    expect(more).toEqual([])
    expect(schemas.validator('property/property-list-changed-webhook.json')(webhook?.body)).toEqual([])
    expect(webhook?.body).toMatchObject({
      event: 'property_list_changed',
      list_id: id,
      list_name: 'Followed',
      change_summary: { properties_added: 2, properties_removed: 1, total_properties: 3 },
      cache_valid_until: '2026-03-02T12:00:00.000Z',
    })
    expect(webhook?.headers.signature).toBeDefined()
    expect(await isSignedInside(webhook?.bytes.toString('utf8') ?? '')).toBe(true)
    expect(await isSignedInside((webhook?.bytes.toString('utf8') ?? '').replace('Followed', 'Followxd'))).toBe(false)
  })

  it('come from a change of products too', async () => {
    const { list } = await call('create_collection_list', { name: 'All programmes' })
    await call('update_collection_list', { list_id: list.list_id, webhook_url: `${receiver.origin}/collection` })
    await settled()
    const document = {
      version: 1,
      publisher: { name: 'Acme', domain: 'acme.example' },
      collections: [{ collection_id: 'new_show', name: 'New Show', kind: 'series' as const }],
      products: [productDocument('news')],
    } as const
    await agent.server.store.transaction((tx) => saveProducts(tx, agent.tenant, document, { merge: true }, now))
    now = new Date('2026-03-01T13:00:01Z')
    await settled()
    const [webhook] = receiver.at('/collection')
    expect(schemas.validator('collection/collection-list-changed-webhook.json')(webhook?.body)).toEqual([])
    expect(webhook?.body).toMatchObject({
      event: 'collection_list_changed',
      change_summary: { collections_added: 1, collections_removed: 3, total_collections: 1 },
    })
  })

  it('go to the newest address only, and nowhere once the list is gone', async () => {
    const id = await listOf('a.example')
    await call('update_property_list', { list_id: id, webhook_url: `${receiver.origin}/old` })
    await call('update_property_list', {
      list_id: id,
      webhook_url: `${receiver.origin}/new`,
      base_properties: domains('z.example'),
    })
    await settled()
    expect(receiver.at('/old')).toEqual([])
    expect(receiver.at('/new').map(({ body }) => body.change_summary.properties_added)).toEqual([1])
    await call('delete_property_list', { list_id: id })
    await settled()
    now = new Date(now.getTime() + 2 * 3_600_000)
    await settled()
    const left = await agent.server.store.read.selectFrom('scheduled_events').selectAll().where('subject_id', '=', id).execute()
    expect(left).toEqual([])
  })

  it('are told to nobody inside', async () => {
    const id = (await agent.propertyList(['a.example'])).data.list.list_id
    const refused = await agent.run('update_property_list', { list_id: id, webhook_url: 'http://169.254.169.254/latest' })
    expect(refused.data.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'webhook_url' })
  })
})

/** Whether `signature` is a detached JWS over the text before it. */
async function isSignedInside(text: string): Promise<boolean> {
  const [, payload = '', jws = ''] = /^(.*),"signature":"([^"]+)"}$/.exec(text) ?? []
  const [header = '', , signature = ''] = jws.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const { keys } = (await (await fetch(new URL('/.well-known/jwks.json', agent.url))).json()) as {
    keys: (JsonWebKey & { kid: string })[]
  }
  const key = keys.find((one) => one.kid === kid)
  if (!key) return false
  const input = `${header}.${Buffer.from(`${payload}}`).toString('base64url')}`
  return verify(null, Buffer.from(input), createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'))
}
