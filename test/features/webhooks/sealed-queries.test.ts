import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { joinAddress, subscriberParts } from '../../../src/domain/webhook-address.ts'
import { subscribeToChanges } from '../../../src/operator/changes/change-subscribers.ts'
import { subscribeToFeed } from '../../../src/operator/directory/feed-subscribers.ts'
import { listWebhooks } from '../../../src/operator/webhooks/list-webhooks.ts'
import { addressSeals } from '../../../src/security/secrets/sealed-address.ts'
import { createSecretBox } from '../../../src/security/secrets/secret-box.ts'
import { sealStoredQueries } from '../../../src/store/webhook/seal-queries.ts'
import type { AgentClient } from '../../support/client.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'
import { tablesWith } from '../../support/stored-texts.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

let agent: MediaBuyAgent
let receiver: WebhookReceiver
let sandbox: AgentClient
beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startMediaBuyAgent([productDocument('news')], {
    sandbox: true,
    flags: { directory: { feed: true, allowLoopback: true } },
    webhooks: { limits: { pollMs: 20 }, subscribersMs: 50 },
  })
  sandbox = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

/** A secret as receivers put it behind the `?`, and the whole address. */
function address(path: string) {
  const secret = `query-secret-of-${path}-0123456789`
  return { secret, url: `${receiver.origin}/${path}?k=${secret}`, at: `/${path}?k=${secret}` }
}

const operator = () => operatorBeside(agent, () => new Date('2026-03-01T12:00:00Z'))

describe('the query of an address of a webhook', () => {
  it('of an order is called, and is in no table, list or stored request', async () => {
    const push = address('push')
    const reporting = address('reporting')
    const reporting_webhook = {
      url: reporting.url,
      reporting_frequency: 'daily',
      authentication: { schemes: ['Bearer'], credentials: 'x'.repeat(32) },
    }
    const { data } = await agent.create({ push_notification_config: { url: push.url }, reporting_webhook }, sandbox)
    expect(data.media_buy_id, JSON.stringify(data)).toBeDefined()
    await receiver.expect(push.at, 1)
    for (const { secret } of [push, reporting]) expect(await tablesWith(agent.server.store, secret)).toEqual([])
    const listed = await performAs(operator(), agent.tenant, listWebhooks, {})
    expect(JSON.stringify(listed)).toContain(`${receiver.origin}/push"`)
    expect(JSON.stringify(listed)).not.toContain(push.secret)
  })

  it('of a list and of subscribers of an account is shown without it and in no table', async () => {
    const list = address('list')
    const made = await sandbox.call('create_property_list', {
      account: ACCOUNT,
      name: 'sites',
      base_properties: [{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'a.example' }] }],
      idempotency_key: randomUUID(),
    })
    const updated = await sandbox.call('update_property_list', {
      list_id: made.data.list.list_id,
      webhook_url: list.url,
      idempotency_key: randomUUID(),
    })
    expect(updated.data.list, JSON.stringify(updated.data)).toMatchObject({ webhook_url: `${receiver.origin}/list` })
    const account = address('account')
    receiver.answer(({ body }, response) => response.writeHead(200).end(JSON.stringify({ challenge: body.challenge })))
    const configs = [{ subscriber_id: 'one', url: account.url, event_types: ['creative.status_changed'] }]
    const synced = await sandbox.call('sync_accounts', {
      adcp_version: '3.1',
      idempotency_key: randomUUID(),
      accounts: [{ ...ACCOUNT, billing: 'operator', notification_configs: configs }],
    })
    expect(synced.data.accounts?.[0], JSON.stringify(synced.data)).toMatchObject({
      notification_configs: [{ url: `${receiver.origin}/account`, active: true }],
    })
    await receiver.expect(account.at, 1)
    for (const { secret } of [list, account]) expect(await tablesWith(agent.server.store, secret)).toEqual([])
  })

  it('of subscribers to changes and to the feed is in no table either', async () => {
    const changes = address('changes')
    const shown = await performAs(operator(), agent.tenant, subscribeToChanges, { url: changes.url })
    expect(shown.url).toBe(`${receiver.origin}/changes`)
    await performAs(operator(), agent.tenant, subscribeToChanges, { url: address('more').url })
    await receiver.expect(changes.at, 1)
    const feed = address('feed')
    expect((await performAs(operator(), agent.tenant, subscribeToFeed, { url: feed.url })).url).toBe(`${receiver.origin}/feed`)
    for (const { secret } of [changes, feed]) expect(await tablesWith(agent.server.store, secret)).toEqual([])
  })

  it('that was stored before queries were sealed is sealed by the next start', async () => {
    const { store } = agent.server
    const old = address('old')
    await store.transaction((tx) =>
      tx.updateTable('webhook_endpoints').set({ url: old.url, query: null }).where('kind', '=', 'push').execute(),
    )
    expect(await tablesWith(store, old.secret)).toEqual(['webhook_endpoints'])
    const box = createSecretBox('a secret of the test', 'webhook-credentials')
    await store.transaction((tx) => sealStoredQueries(tx, addressSeals(box)))
    expect(await tablesWith(store, old.secret)).toEqual([])
    const row = await store.read
      .selectFrom('webhook_endpoints')
      .select(['url', 'query'])
      .where('kind', '=', 'push')
      .executeTakeFirst()
    expect(row).toEqual({ url: `${receiver.origin}/old`, query: expect.stringMatching(/^v1\./) })
  })
})

describe('a secret in the path of a subscriber', () => {
  it('is called, shown as an ellipsis, and in no table; nor is one that was stored before', async () => {
    const secret = 'Zk93hfKslq02mmXcvBnQ88tt'
    const at = `/services/T0AB/${secret}?k=2`
    const shown = await performAs(operator(), agent.tenant, subscribeToChanges, { url: `${receiver.origin}${at}` })
    expect(shown.url).toBe(`${receiver.origin}/services/T0AB/…`)
    await performAs(operator(), agent.tenant, subscribeToFeed, { url: `${receiver.origin}/hooks/${secret}` })
    await performAs(operator(), agent.tenant, subscribeToChanges, { url: address('another').url })
    await receiver.expect(at, 1)
    const { store } = agent.server
    expect(await tablesWith(store, secret)).toEqual([])
    await store.transaction((tx) =>
      tx
        .updateTable('feed_subscribers')
        .set({ url: `${receiver.origin}/hooks/${secret}`, query: null })
        .where('subscriber_id', '=', shown.subscriber_id)
        .execute(),
    )
    expect(await tablesWith(store, secret)).toEqual(['feed_subscribers'])
    const box = createSecretBox('a secret of the test', 'webhook-credentials')
    await store.transaction((tx) => sealStoredQueries(tx, addressSeals(box)))
    expect(await tablesWith(store, secret)).toEqual([])
  })

  it.each([
    ['https://a.example', 'https://a.example'],
    ['https://a.example/', 'https://a.example/'],
    ['https://a.example/a-path-of-many-words/and-more', 'https://a.example/a-path-of-many-words/and-more'],
    [
      'https://discord.example/api/webhooks/123456789012345678/aB3_xY9-aB3_xY9-aB3_',
      'https://discord.example/api/webhooks/123456789012345678/…',
    ],
    ['https://a.example/x?/y', 'https://a.example/x'],
    ['https://a.example/AbCdEfGhIjKlMnOpQrSt?/y?z', 'https://a.example/…'],
  ])('%s is shown as %s, and whole again when it is called', (url, shown) => {
    const parts = subscriberParts(url)
    expect(parts.shown).toBe(shown)
    expect(joinAddress(parts)).toBe(url)
  })
})
