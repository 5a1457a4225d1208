import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../support/release-agent.ts'
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

const contracts = loadContracts()
let agent: ReleaseAgent
let receiver: WebhookReceiver
/** What the receiver sends back for a challenge. */
let echo: (challenge: string) => object

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.answer(({ body }, response) => {
    response.writeHead(200).end(JSON.stringify(body.type === 'webhook.challenge' ? echo(body.challenge) : {}))
  })
  agent = await startReleaseAgent({ conformance: false, sandbox: true })
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

describe.each(LINES.filter((line) => line !== '3.0'))('subscribers of an account under AdCP %s', (line) => {
  const entry = { brand: { domain: 'subscribed.example' }, operator: `agency${line.replace('.', '')}.example`, sandbox: true }
  const sync = async (notification_configs: object[] | undefined, more: object = {}) => {
    const accounts = [{ ...entry, billing: 'operator', ...(notification_configs && { notification_configs }) }]
    const { data } = await agent.ask(line, 'sync_accounts', { accounts, ...more })
    return data.accounts[0]
  }
  const shown = async () => {
    const { data } = await agent.ask(line, 'list_accounts')
    return data.accounts.find((account: { operator: string }) => account.operator === entry.operator)?.notification_configs
  }
  const config = (subscriber_id: string, more: object = {}) => ({
    subscriber_id,
    url: `${receiver.origin}/${line}/${subscriber_id}`,
    event_types: ['creative.status_changed'],
    ...more,
  })
  const asShown = (subscriber_id: string, active: boolean) => ({ ...config(subscriber_id), active })

  test('are stored paused without a challenge, replaced as a whole, kept when left out, and cleared', async () => {
    echo = () => ({})
    expect(await sync([config('first', { active: false }), config('second', { active: false })])).toMatchObject({
      action: 'created',
      notification_configs: [asShown('first', false), asShown('second', false)],
    })
    expect(await sync(undefined)).toMatchObject({ action: 'unchanged', notification_configs: [{}, {}] })
    await sync([config('second', { active: false })])
    expect(await shown()).toEqual([asShown('second', false)])
    await sync([])
    expect(await shown()).toEqual([])
    expect(receiver.at(`/${line}/first`)).toEqual([])
  })

  test.each<[string, () => object[], string, string]>([
    [
      'twice the same id',
      () => [config('a', { active: false }), config('a', { active: false })],
      '[1].subscriber_id',
      'VALIDATION_ERROR',
    ],
    [
      'an event of media buys',
      () => [config('a', { event_types: ['final'], active: false })],
      '[0].event_types[0]',
      'VALIDATION_ERROR',
    ],
    [
      'an event that is not sent',
      () => [config('a', { event_types: ['product.created'] })],
      '[0].event_types[0]',
      'UNSUPPORTED_FEATURE',
    ],
    ['an address inside', () => [config('a', { url: 'https://10.0.0.1/hook', active: false })], '[0].url', 'INVALID_REQUEST'],
  ])('are refused with %s, and those before stay', async (_what, configs, field, code) => {
    await sync([config('kept', { active: false })])
    expect(await sync(configs())).toMatchObject({
      action: 'failed',
      errors: [{ code, field: `notification_configs${field}` }],
    })
    expect(await shown()).toEqual([asShown('kept', false)])
  })

  test('are active once they have sent the challenge back', async () => {
    echo = () => ({ challenge: 'something else'.padEnd(32, '.') })
    expect(await sync([config('proof')])).toMatchObject({
      action: 'failed',
      errors: [{ code: 'VALIDATION_ERROR', field: 'notification_configs[0].url' }],
    })
    echo = (challenge) => ({ token: challenge })
    const synced = await sync([config('proof')])
    expect(synced).toMatchObject({ notification_configs: [asShown('proof', true)] })
    const [, challenge] = receiver.at(`/${line}/proof`)
    expect(challenge?.headers['signature-input']).toMatch(/tag="adcp\/webhook-signing\/v1"/)
    const { schemas } = contracts.find(line) ?? contracts.base
    expect(schemas.validator('core/webhook-challenge.json')(challenge?.body)).toEqual([])
    expect(challenge?.body).toMatchObject({ account_id: synced.account_id, seller_agent_url: agent.url })
    await sync([config('proof')])
    expect(receiver.at(`/${line}/proof`), 'what was proven needs no proof').toHaveLength(2)
  })

  test('are told what the publisher decides about creatives, those that are paused are not', async () => {
    echo = (challenge) => ({ challenge })
    const secret = 's'.repeat(40)
    const legacy = config('legacy', { authentication: { schemes: ['Bearer'], credentials: secret } })
    const { account_id } = await sync([config('told'), legacy, config('paused', { active: false })])
    const [probe] = receiver.at(`/${line}/legacy`)
    expect(probe?.body.delivery_auth).toEqual({
      mode: 'Bearer',
      credential_fingerprint: createHash('sha256').update(secret).digest('hex'),
    })
    expect(JSON.stringify(await shown())).not.toContain(secret)
    const creative_id = `told-${line}`
    await agent.control('seed_creative', { creative_id })
    await agent.control('force_creative_status', {
      ...{ creative_id, status: 'suspended', reason_code: 'source_private', reason_detail: 'the post is private' },
    })
    const [, event] = await receiver.expect(`/${line}/told`, 2)
    expect(event?.body).toMatchObject({
      notification_type: 'creative.status_changed',
      subscriber_id: 'told',
      account_id,
      creative_id,
      transition: { from: 'approved', to: 'suspended' },
      reason_code: 'source_private',
      reason_detail: 'the post is private',
      initiator: 'seller',
    })
    const { schemas } = contracts.find(line) ?? contracts.base
    expect(schemas.validator('creative/creative-status-changed-webhook.json')(event?.body)).toEqual([])
    const [, other] = await receiver.expect(`/${line}/legacy`, 2)
    expect(other?.headers.authorization).toBe(`Bearer ${secret}`)
    expect(other?.body.notification_id).toBe(event?.body.notification_id)
    expect(receiver.at(`/${line}/paused`)).toEqual([])
    await sync([])
  })
})
