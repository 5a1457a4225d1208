import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { FRESHNESS } from '../../../src/domain/directory/freshness.ts'
import { addDomains, requestRefresh } from '../../../src/features/directory/crawl-list.ts'
import { crawl } from '../../../src/features/directory/crawler.ts'
import { feedWebhooks } from '../../../src/features/webhooks/feed-subscribers.ts'
import type { Act } from '../../../src/operator/act.ts'
import { listFeedSubscribers, subscribeToFeed, unsubscribeFromFeed } from '../../../src/operator/directory/feed-subscribers.ts'
import type { FieldSet } from '../../../src/operator/fields.ts'
import type { OperatorContext } from '../../../src/operator/operator-context.ts'
import { createSafePost } from '../../../src/platform/net/safe-post.ts'
import { createSecretBox } from '../../../src/security/secrets/secret-box.ts'
import { type FakeWeb, json, wellKnown } from '../../support/fake-web/fake-web.ts'
import { performAs } from '../../support/operator.ts'
import { AGENT, grant, PUBLISHER, property, startRegistryWorld } from '../../support/registry-world.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const perform = <F extends FieldSet, A extends object>(operator: OperatorContext, act: Act<F, A>, members: object): Promise<A> =>
  performAs(operator, '', act, { ...members })

let web: FakeWeb
let agent: TestAgent
let receiver: WebhookReceiver
let time = Date.parse('2026-03-01T00:00:00Z')
const clock = () => new Date(time)

beforeAll(async () => {
  web = await startRegistryWorld()
  receiver = await startReceiver()
  agent = await startAgent({
    clock,
    safeFetch: web.fetch(),
    flags: { directory: { feed: true, allowLoopback: true } },
    // The test delivers by itself: the server's own job would be beside it.
    webhooks: { subscribersMs: 3_600_000 },
  })
})
afterEach(() => receiver.answer((_webhook, response) => response.writeHead(200).end()))
afterAll(async () => {
  await agent?.stop()
  await receiver?.close()
  await web?.close()
})

const operator = () => ({ ...operatorOn(agent.server.store, agent.config), clock })
const job = () =>
  feedWebhooks({
    store: agent.server.store,
    post: createSafePost({ userAgent: 'test' }),
    keys: agent.server.keys,
    box: createSecretBox('a secret of the test', 'webhook-credentials'),
    clock,
    random: () => 0.5,
    loopback: true,
    developing: false,
    log: { warn: () => undefined },
  })
async function deliver(): Promise<void> {
  const send = job()
  while (await send());
}

async function publish(agents: readonly string[]): Promise<void> {
  time += 60_000
  const deps = {
    store: agent.server.store,
    fetch: web.fetch(),
    clock,
    random: () => 0.5,
    limits: FRESHNESS,
    worker: 'test',
    warn: () => undefined,
  }
  web.put(wellKnown(PUBLISHER), json({ properties: [property()], authorized_agents: agents.map((url) => grant({ url })) }))
  await addDomains(deps, [PUBLISHER])
  await requestRefresh(deps, [PUBLISHER])
  await crawl(deps, { concurrency: 1 })
}

const typesAt = (path: string) =>
  receiver.at(path).map(({ body }) => body.events.map((each: { event_type: string }) => each.event_type))

/** How the subscriber at that path is listed: the order of the list follows random ids. */
const shown = async (path: string) =>
  (await perform(operator(), listFeedSubscribers, {})).items.find(({ url }) => url.endsWith(path))

it('a subscriber gets every change from then on, signed, in order, once', async () => {
  await publish([AGENT])
  const row = await perform(operator(), subscribeToFeed, { url: `${receiver.origin}/all` })
  // Subscribers are listed in the order of these times; at one time their random ids would decide.
  time += 1_000
  await perform(operator(), subscribeToFeed, { url: `${receiver.origin}/some`, types: ['authorization.revoked'] })
  await deliver()
  expect(receiver.received).toEqual([])
  await publish([AGENT, 'https://other.example/mcp'])
  await publish(['https://other.example/mcp'])
  await deliver()
  await deliver()
  expect(typesAt('/all').flat()).toEqual([
    'publisher.adagents_changed',
    'agent.discovered',
    'authorization.granted',
    'publisher.adagents_changed',
    'authorization.revoked',
    'agent.removed',
  ])
  expect(typesAt('/some')).toEqual([['authorization.revoked']])
  const [webhook] = receiver.at('/all')
  expect(webhook?.headers['signature-input']).toContain('content-digest')
  expect(webhook?.body).toMatchObject({
    subscriber_id: row.subscriber_id,
    missed_events: false,
    idempotency_key: expect.any(String),
  })
  expect(await shown('/all')).toMatchObject({ subscriber_id: row.subscriber_id, behind: 0, last_status: 200 })
})

it('what a receiver refuses comes again, the same, after a pause, and holds up nobody else', async () => {
  receiver.answer((webhook, response) => response.writeHead(webhook.path === '/all' ? 503 : 200).end())
  const before = receiver.at('/all').length
  await publish([AGENT])
  await deliver()
  await deliver()
  expect(receiver.at('/all')).toHaveLength(before + 1)
  expect(await shown('/all')).toMatchObject({
    failures: 1,
    last_status: 503,
    last_error: 'the receiver answered 503',
  })
  receiver.answer((_webhook, response) => response.writeHead(204).end())
  time += 60_000
  await deliver()
  const [refused, taken] = receiver.at('/all').slice(before)
  expect(taken?.body).toEqual(refused?.body)
  expect(await shown('/all')).toMatchObject({ failures: 0, behind: 0 })
})

it('two processes send nothing twice', async () => {
  const before = receiver.at('/all').length
  await publish([])
  await Promise.all([job()(), job()(), job()()])
  expect(receiver.at('/all')).toHaveLength(before + 1)
})

it('refuses what cannot be sent to, and ends at once', async () => {
  for (const [asked, field] of [
    [{ url: 'http://news.example/hook' }, 'url'],
    [{ url: `${receiver.origin}/x`, types: ['everything'] }, 'types'],
  ] as const) {
    await expect(perform(operator(), subscribeToFeed, asked)).rejects.toMatchObject({ code: 'INVALID_REQUEST', field })
  }
  const off = { ...operator(), config: { ...agent.config, directory: { ...agent.config.directory, feed: false } } }
  await expect(perform(off, subscribeToFeed, { url: `${receiver.origin}/x` })).rejects.toMatchObject({
    message: expect.stringContaining('directory.feed'),
  })
  for (const { subscriber_id } of (await perform(operator(), listFeedSubscribers, {})).items)
    await perform(operator(), unsubscribeFromFeed, { subscriber: subscriber_id })
  await expect(perform(operator(), unsubscribeFromFeed, { subscriber: 'sub_none' })).rejects.toMatchObject({
    code: 'REFERENCE_NOT_FOUND',
  })
  const before = receiver.received.length
  await publish([AGENT])
  await deliver()
  expect(receiver.received).toHaveLength(before)
})
