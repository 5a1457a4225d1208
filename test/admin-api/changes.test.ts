import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type AdminCall, adminClient } from '../support/admin-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let agent: MediaBuyAgent
let receiver: WebhookReceiver
let call: AdminCall

beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startMediaBuyAgent([productDocument('news')], { webhooks: { subscribersMs: 50 } })
  const operator = operatorBeside(agent, () => new Date())
  const key = { tenantId: agent.tenant, name: 'robin', role: 'administrator' as const }
  call = adminClient(agent.url, (await createAdminKey(operator, key)).token)
})
afterAll(async () => {
  await agent?.stop()
  await receiver?.close()
})

interface Change {
  readonly act: string
  readonly number: number
  readonly subject: string | null
  readonly credential: string
}

/** Every change that came to a path, until one is of `act`. */
async function changesUntil(path: string, act: string): Promise<Change[]> {
  for (let count = 1; count < 50; count++) {
    const webhooks = await receiver.expect(path, count)
    const changes = webhooks.flatMap(({ body }) => body.events as Change[])
    if (changes.some((change) => change.act === act)) return changes
  }
  throw new Error(`no ${act} came`)
}

it('an address gets every change of people and buyers in order, signed, and again when it was away', async () => {
  const { data } = await call('POST', '/change-subscribers', { body: { url: `${receiver.origin}/all` } })
  expect(data).toMatchObject({ types: 'all', failures: 0 })
  await call('POST', '/buyers', { body: { buyer: 'acme' } })
  const order = String((await agent.create()).data.media_buy_id)
  await call('POST', `/orders/${order}/cancel`, { body: { reason: 'double booking' } })
  await agent.server.audit.settled()
  const changes = await changesUntil('/all', 'orders.cancel')
  expect(changes.map(({ act }) => act)).toEqual(expect.arrayContaining(['buyers.add', 'create_media_buy', 'orders.cancel']))
  expect(changes.find(({ act }) => act === 'orders.cancel')).toMatchObject({
    subject: order,
    credential: expect.stringMatching(/^admin:robin/),
  })
  const numbers = changes.map(({ number }) => number)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  expect(new Set(numbers).size).toBe(numbers.length)
  const [webhook] = receiver.at('/all')
  expect(webhook?.headers['signature-input']).toContain('content-digest')
  expect(webhook?.body).toMatchObject({ subscriber_id: data.subscriber_id, publisher: agent.tenant, missed_events: false })
  expect((await call('DELETE', `/change-subscribers/${data.subscriber_id}`)).data.removed).toBe(true)
})

it('types narrow it; a test goes to the one that is tested', async () => {
  const one = (await call('POST', '/change-subscribers', { body: { url: `${receiver.origin}/keys`, types: ['keys.*'] } })).data
  const two = (await call('POST', '/change-subscribers', { body: { url: `${receiver.origin}/two`, types: ['brands.import'] } }))
    .data
  await call('POST', '/buyers', { body: { buyer: 'beta' } })
  await call('POST', '/keys', { body: { buyer: 'beta' } })
  expect((await call('POST', `/change-subscribers/${two.subscriber_id}/test`)).data.queued).toBe(true)
  await agent.server.audit.settled()
  expect((await changesUntil('/keys', 'keys.create')).map(({ act }) => act)).toEqual(['keys.create'])
  expect((await changesUntil('/two', 'changes.test')).map(({ act }) => act)).toEqual(['changes.test'])
  expect(receiver.at('/keys').flatMap(({ body }) => body.events)).toHaveLength(1)
  const { items } = (await call('GET', '/change-subscribers')).data
  expect(items.map((each: { subscriber_id: string }) => each.subscriber_id)).toEqual(
    expect.arrayContaining([one.subscriber_id, two.subscriber_id]),
  )
})

it('refuses what is no act and no address, and subscribers of others', async () => {
  const wrong = await call('POST', '/change-subscribers', { body: { url: `${receiver.origin}/x`, types: ['Orders!'] } })
  expect([wrong.status, wrong.data.field]).toEqual([400, 'types'])
  const address = await call('POST', '/change-subscribers', { body: { url: 'http://10.0.0.1/' } })
  expect([address.status, address.data.field]).toEqual([400, 'url'])
  expect((await call('POST', '/change-subscribers/chs_none/test')).status).toBe(404)
})

it('is verified by the sample of the documentation, and repeated in order after a 500', async () => {
  const [, sample = ''] = /```js\n([\s\S]*?)```/.exec(readFileSync('docs/admin-api.md', 'utf8')) ?? []
  const folder = mkdtempSync(join(tmpdir(), 'webhook-sample-'))
  const file = join(folder, 'verify-webhook.mjs')
  writeFileSync(file, sample)
  const { verifyWebhook } = await import(pathToFileURL(file).href)
  const address = `${receiver.origin}/verified`
  receiver.answer((webhook, response, count) => {
    response.writeHead(webhook.path === '/verified' && count === 0 ? 500 : 204).end()
  })
  const { data } = await call('POST', '/change-subscribers', { body: { url: address, types: ['principals.*'] } })
  await call('POST', '/buyers', { body: { buyer: 'first' } })
  await agent.server.audit.settled()
  await receiver.expect('/verified', 1, 30_000)
  await call('POST', '/buyers', { body: { buyer: 'second' } })
  // The pause before the next attempt, which begins when the failure is noted.
  const failures = async (): Promise<number> => {
    const { items } = (await call('GET', '/change-subscribers')).data
    return items.find((each: { subscriber_id: string }) => each.subscriber_id === data.subscriber_id).failures
  }
  await vi.waitFor(async () => expect(await failures()).toBe(1), { timeout: 30_000 })
  agent.setClock(new Date(agent.server.clock().getTime() + 3_600_000).toISOString())
  await agent.server.audit.settled()
  const taken: { number: number; subject: string }[] = []
  let read = 0
  while (taken.length < 2) {
    const webhooks = await receiver.expect('/verified', read + 1, 30_000)
    // The first is answered with 500: nothing of it is taken.
    for (const { body } of webhooks.slice(Math.max(read, 1)))
      taken.push(...body.events.filter(({ number }: { number: number }) => number > (taken.at(-1)?.number ?? 0)))
    read = webhooks.length
  }
  expect(taken.map(({ subject }) => subject)).toEqual(['first', 'second'])
  const jwks = await (await fetch(new URL('/.well-known/jwks.json', agent.url))).json()
  const [first] = receiver.at('/verified')
  if (!first) throw new Error('nothing came')
  const { headers, bytes: body } = first
  const now = vi.spyOn(Date, 'now').mockReturnValue(Number(/created=(\d+)/.exec(String(headers['signature-input']))?.[1]) * 1000)
  expect(() => verifyWebhook({ headers, body, address, jwks })).not.toThrow()
  const changed = Buffer.from(body.toString().replace('first', 'other'))
  expect(() => verifyWebhook({ headers, body: changed, address, jwks })).toThrow('another body')
  expect(() => verifyWebhook({ headers, body, address: `${address}?x`, jwks })).toThrow('a wrong signature')
  now.mockReturnValue(Number.MAX_SAFE_INTEGER)
  expect(() => verifyWebhook({ headers, body, address, jwks })).toThrow('not of this time')
  now.mockRestore()
  await call('DELETE', `/change-subscribers/${data.subscriber_id}`)
  rmSync(folder, { recursive: true })
})
