import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { a2aClient } from '../../support/a2a-client.ts'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const contracts = loadContracts()
let agent: ReleaseAgent
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  receiver.answer(({ body }, response) => {
    response.writeHead(200).end(JSON.stringify(body.type === 'webhook.challenge' ? { challenge: body.challenge } : {}))
  })
  agent = await startReleaseAgent()
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

const LATER = LINES.filter((line) => line !== '3.0')
/** Every name that the page of the controller has in 3.1, those of 3.0 among them. */
const CANONICAL = [
  ...['force_creative_status', 'force_creative_purge', 'force_account_status', 'force_audience_status', 'force_media_buy_status'],
  ...['force_create_media_buy_arm', 'force_get_products_arm', 'force_get_signals_arm', 'force_task_completion'],
  ...['force_session_status', 'force_upstream_unavailable', 'simulate_delivery', 'simulate_budget_spend'],
  ...['seed_account', 'seed_product', 'seed_pricing_option', 'seed_creative', 'seed_plan', 'seed_media_buy'],
  ...['compact_product_lifecycle_probe', 'compact_direct_buy_lifecycle_probe'],
  ...['seed_creative_format', 'seed_measurement_catalog', 'query_upstream_traffic', 'query_provenance_audit_observations'],
]
const CATALOG = { vendor: { domain: 'attention.example' }, metrics: [{ metric_id: 'attention_units' }] }
const CREATIVE = { status: 'approved', name: 'Seeded', format_id: { id: 'display_300x250' } }

describe.each(LINES.flatMap((line) => (['MCP', 'A2A'] as const).map((transport) => ({ line, transport }))))(
  'scenarios of the controller under AdCP $line over $transport',
  ({ line, transport }) => {
    const ask = async (task: string, args: object) => {
      const request = { adcp_version: line, ...args }
      return transport === 'MCP' ? agent.ask(line, task, args) : a2aClient(agent.url, agent.key).call(task, request)
    }

    it('a context that is no object is not echoed, whatever else becomes of the call', async () => {
      for (const context of ['USD', 7, ['a'], null]) {
        const { data } = await ask('comply_test_controller', { scenario: 'list_scenarios', context })
        expect(data.context, JSON.stringify(data)).toBeUndefined()
        expect(data.adcp_error?.code).not.toBe('SERVICE_UNAVAILABLE')
      }
    })
    const control = (scenario: string, params: object = {}) =>
      ask('comply_test_controller', { scenario, params, account: { sandbox: true }, context: { correlation_id: scenario } })

    it('are listed exactly as far as they are carried out, in the capabilities too', async () => {
      const { data } = await ask('comply_test_controller', { scenario: 'list_scenarios', account: { sandbox: true } })
      const carriedOut: string[] = []
      for (const scenario of CANONICAL) {
        // Without parameters no scenario does anything; the schema of the release may refuse the call before the scenario sees it.
        const answer = await control(scenario, scenario === 'seed_measurement_catalog' ? CATALOG : {})
        if (answer.data.error !== 'UNKNOWN_SCENARIO') carriedOut.push(scenario)
      }
      expect([...data.scenarios].sort()).toEqual(carriedOut.sort())
      if (line === '3.0') return
      const { data: capabilities } = await ask('get_adcp_capabilities', {})
      expect([...capabilities.compliance_testing.scenarios].sort()).toEqual([...data.scenarios].sort())
    })

    it('an order is answered once with what it lacks', async () => {
      expect(
        (await control('force_create_media_buy_arm', { arm: 'input-required', message: 'Sign the order first.' })).data,
      ).toMatchObject({
        success: true,
        forced: { arm: 'input-required' },
      })
      const { data: found } = await ask('get_products', { buying_mode: 'wholesale', account: SUITE_ACCOUNT })
      const [product] = found.products
      const order = {
        account: SUITE_ACCOUNT,
        brand: SUITE_ACCOUNT.brand,
        start_time: '2026-04-01T00:00:00Z',
        end_time: '2026-04-30T00:00:00Z',
        packages: [
          {
            product_id: product.product_id,
            pricing_option_id: product.pricing_options[0].pricing_option_id,
            budget: 30_000,
            bid_price: 50,
          },
        ],
        idempotency_key: `input-required-${line.replace('.', '-')}-${transport}`,
      }
      const first = (await ask('create_media_buy', order)).data
      expect(first).toMatchObject({
        status: 'input-required',
        errors: [{ message: 'Sign the order first.', recovery: 'correctable' }],
      })
      expect(first.media_buy_id).toBeUndefined()
      expect((await ask('create_media_buy', order)).data).toMatchObject({ replayed: true, status: 'input-required' })
      const next = await ask('create_media_buy', { ...order, idempotency_key: `${order.idempotency_key}-again` })
      expect(next.data.media_buy_id, JSON.stringify(next.data)).toBeTypeOf('string')
    })

    it.skipIf(line === '3.0')('an answer says once that an upstream could not be reached', async () => {
      const forced = await control('force_upstream_unavailable', {
        tool: 'get_products',
        upstream_name: 'stock',
        cache_age_seconds: 90,
      })
      expect(forced.data).toMatchObject({ success: true })
      const search = { buying_mode: 'wholesale' }
      const { data, isError } = await ask('get_products', search)
      expect(isError).toBe(false)
      expect(data.products.length).toBeGreaterThan(0)
      expect(data.errors).toMatchObject([
        {
          code: 'STALE_RESPONSE',
          recovery: 'transient',
          details: { served_from_cache: true, cache_age_seconds: 90, upstream: { name: 'stock' } },
        },
      ])
      expect((await ask('get_products', search)).data.errors).toBeUndefined()
      expect((await control('force_upstream_unavailable', { tool: 'create_media_buy' })).data.error).toBe('INVALID_PARAMS')
    })

    it.skipIf(line === '3.0')(
      'a purged creative leaves a tombstone, or nothing at all, and its subscribers are notified',
      async () => {
        const name = `${line}-${transport}`
        const url = `${receiver.origin}/purged/${name}`
        const entry = {
          brand: { domain: 'purged.example' },
          operator: `${transport.toLowerCase()}${line.replace('.', '')}.example`,
          sandbox: true,
        }
        const config = { subscriber_id: 'purged', url, event_types: ['creative.purged'] }
        const synced = await ask('sync_accounts', {
          accounts: [{ ...entry, billing: 'operator', notification_configs: [config] }],
          idempotency_key: `purge-accounts-${name}`,
        })
        expect(synced.data.accounts[0], JSON.stringify(synced.data)).toMatchObject({ notification_configs: [{ active: true }] })
        const [soft, hard] = [`soft-${name}`, `hard-${name}`]
        for (const creative_id of [soft, hard]) await control('seed_creative', { creative_id, fixture: CREATIVE })
        const purge = await control('force_creative_purge', {
          creative_id: soft,
          reason_code: 'takedown_request',
          reason_detail: 'By court order.',
        })
        expect(purge.data).toMatchObject({ success: true, previous_state: 'approved', current_state: 'purged' })
        expect((await control('force_creative_purge', { creative_id: hard, purge_kind: 'hard' })).data).toMatchObject({
          current_state: 'purged',
        })
        expect((await control('force_creative_purge', { creative_id: soft })).data).toMatchObject({
          success: true,
          previous_state: 'purged',
        })
        expect((await control('force_creative_purge', { creative_id: hard })).data).toMatchObject({
          success: false,
          error: 'NOT_FOUND',
        })
        expect(
          (await control('force_creative_purge', { creative_id: soft, purge_kind: 'hard', reason_code: 'retention_expired' }))
            .data.error,
        ).toBe('INVALID_PARAMS')

        const list = async (more: object) =>
          (await ask('list_creatives', { filters: { creative_ids: [soft, hard] }, ...more })).data
        expect(await list({})).toMatchObject({ creatives: [], query_summary: { total_matching: 0 } })
        const shown = await list({ include_purged: true })
        expect(shown).toMatchObject({
          query_summary: { total_matching: 1, returned: 1 },
          creatives: [
            { creative_id: soft, name: 'Seeded', status: 'approved', purge: { kind: 'soft', reason_code: 'takedown_request' } },
          ],
        })
        expect(shown.creatives[0].assets).toBeUndefined()

        const events = await receiver.expect(`/purged/${name}`, 2)
        const { schemas } = contracts.find(line) ?? contracts.base
        for (const { body } of events) expect(schemas.validator('creative/creative-purged-webhook.json')(body)).toEqual([])
        expect(events.map(({ body }) => body)).toEqual(
          expect.arrayContaining([
            expect.objectContaining({
              creative_id: soft,
              purge_kind: 'soft',
              reason_detail: 'By court order.',
              initiator: 'seller',
            }),
            expect.objectContaining({ creative_id: hard, purge_kind: 'hard', reason_code: 'legal_erasure' }),
          ]),
        )
        await ask('sync_accounts', {
          accounts: [{ ...entry, billing: 'operator', notification_configs: [] }],
          idempotency_key: `purge-no-accounts-${name}`,
        })
      },
    )

    it.skipIf(line === '3.0')('a creative whose declarations are worth an audit is observed, and accepted', async () => {
      const provenance = {
        human_oversight: 'edited',
        disclosure: { required: false },
        digital_source_type: 'composite_with_trained_algorithmic_media',
      }
      const assets = { image_main: { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 } }
      const format_id = { agent_url: agent.url, id: 'display_300x250' }
      const creative_id = `observed-${line}-${transport}`
      const synced = await ask('sync_creatives', {
        account: SUITE_ACCOUNT,
        creatives: [{ creative_id, name: 'Observed', format_id, assets, provenance }],
        idempotency_key: `observed-creative-${line}-${transport}`,
      })
      expect(synced.data.creatives, JSON.stringify(synced.data)).toMatchObject([{ action: 'created' }])
      const { data } = await control('query_provenance_audit_observations', { creative_id })
      const observation = {
        code: 'OVERSIGHT_DISCLOSURE_CARVEOUT_CLAIMED',
        field: 'creative_manifest.provenance.disclosure.required',
        details: { agent_url: agent.url, claimed_value: { human_oversight: 'edited', disclosure_required: false } },
      }
      expect(data).toMatchObject({ success: true, creative_id, audit_observations: [observation] })
      const features = await ask('get_creative_features', { creative_manifest: { format_id, assets, provenance } })
      expect(features.data.audit_observations, JSON.stringify(features.data)).toMatchObject([observation])
      expect((await control('query_provenance_audit_observations', { creative_id: 'unknown' })).data).toMatchObject({
        error: 'NOT_FOUND',
      })
    })
  },
)

it('there is a later release to ask in', () => expect(LATER.length).toBeGreaterThan(0))
