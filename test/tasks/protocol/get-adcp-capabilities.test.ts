import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { setCreativeRule } from '../../../src/operator/creatives/creative-rules.ts'
import { setCreativeReview } from '../../../src/operator/creatives/review-creatives.ts'
import { BASE_SOURCE } from '../../../src/protocol/contract-source.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { performAs } from '../../support/operator.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

describe('get_adcp_capabilities', () => {
  it('needs no credentials and says how idempotency works', async () => {
    const { status, data } = await agent.client().call('get_adcp_capabilities', { context: { a: 1 } })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      status: 'completed',
      context: { a: 1 },
      adcp: { major_versions: [3], idempotency: { supported: true, replay_ttl_seconds: 86_400 } },
      request_signing: { supported: true, covers_content_digest: 'required', required_for: [] },
    })
  })

  it('declares only tasks that are wired', async () => {
    const { data } = await agent.buyer.call('get_adcp_capabilities')
    const tools = (await (await agent.buyer.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).json()) as {
      result: { tools: { name: string }[] }
    }
    const names = new Set(tools.result.tools.map((tool) => tool.name))
    expect(data.supported_protocols.includes('media_buy')).toBe(names.has('create_media_buy'))
    expect(data.supported_protocols.includes('creative')).toBe(names.has('sync_creatives') && names.has('preview_creative'))
    expect('compliance_testing' in data).toBe(names.has('comply_test_controller'))
  })

  it('shows the controller to sandbox principals of a sandbox server only', async () => {
    const sandbox = await startAgent({ sandbox: true })
    try {
      const key = await sandbox.addBuyer({ principal: 'tester', sandbox: true })
      const forTester = await sandbox.client(key).call('get_adcp_capabilities')
      const forBuyer = await sandbox.buyer.call('get_adcp_capabilities')
      expect(forTester.data.compliance_testing.scenarios).toContain('force_media_buy_status')
      expect(forBuyer.data).not.toHaveProperty('compliance_testing')
    } finally {
      await sandbox.stop()
    }
  })
})

describe('what 3.1 asks a seller of media to declare', () => {
  it.each(['3.1', '3.2'])('follows from its products and settings in %s', async (line) => {
    const flags = { 'signing.protocolMethodsRequiredFor': ['tasks/cancel'] }
    const demo = await startAgent({ demo: true, contracts: loadContracts(), flags })
    try {
      const { data: base } = await demo.buyer.call('get_adcp_capabilities', { adcp_version: '3.0' })
      if (!base.adcp.supported_versions.includes(line)) return
      expect(base.adcp.idempotency).not.toHaveProperty('in_flight_max_seconds')
      const { data } = await demo.buyer.call('get_adcp_capabilities', { adcp_version: line })
      expect(data.adcp.idempotency.in_flight_max_seconds).toBeGreaterThan(0)
      expect(data.media_buy).toMatchObject({ creative_approval_mode: 'auto_approve' })
      expect(data.media_buy.supported_pricing_models).toEqual(expect.arrayContaining(['cpc', 'cpm']))
      expect(data.media_buy.supported_optimization_metrics).toContain('clicks')
      expect(data.creative.supports_evaluator).toBe(false)
      expect(data.request_signing.protocol_methods_required_for).toEqual(['tasks/cancel'])
      const targets = data.creative.supported_formats.map(({ capability_id: id }: { capability_id: string }) => id)
      expect(targets).toContain('display_300x250_html5')
      expect(data.creative.supported_formats[0].format).not.toHaveProperty('format_option_id')
      for (const { format } of data.creative.supported_formats) expect(format.params.slots[0].asset_group_id).toBeTruthy()
      const target_format_id = { agent_url: demo.url, id: 'display_300x250_html5' }
      const { data: built } = await demo.buyer.call('build_creative', {
        adcp_version: line,
        message: 'Tents for two',
        target_format_id,
        idempotency_key: randomUUID(),
      })
      expect(built.creative_manifest, JSON.stringify(built)).toMatchObject({ assets: expect.any(Object) })
    } finally {
      await demo.stop()
    }
  })
})

describe('capabilities without a release', () => {
  it('are those of 3.0, with the members that later releases have beside them', async () => {
    const demo = await startAgent({ demo: true, sandbox: true, contracts: loadContracts() })
    try {
      const client = demo.client(await demo.addBuyer({ tenant: demo.tenant, principal: 'tester', sandbox: true }))
      const ask = async (args: object) => (await client.call('get_adcp_capabilities', args)).data
      const { adcp_version: _line, ...base } = await ask({ adcp_version: '3.0' })
      for (const unpinned of [{}, { adcp_major_version: 3 }, { adcp_version: null }]) {
        const data = await ask(unpinned)
        if (base.adcp.supported_versions.length === 1) {
          expect(data).toEqual(base)
          continue
        }
        expect(data).toMatchObject(base)
        expect(data.media_buy).toMatchObject({ buying_modes: ['brief', 'wholesale', 'refine'], supports_proposals: true })
        expect(data.media_buy).not.toHaveProperty('lifecycle_tools')
        expect(data.signals?.discovery_modes).toEqual(data.signals && ['brief', 'wholesale'])
        expect(data.wholesale_feed_versioning).toMatchObject({ supported: true })
        expect(base.media_buy).not.toHaveProperty('buying_modes')
        expect(loadContracts().base.schemas.response('get_adcp_capabilities')(data)).toEqual([])
      }
    } finally {
      await demo.stop()
    }
  })

  it('are those of 3.0 alone where the publisher offers no other release', async () => {
    const alone = await startAgent({ demo: true, contracts: loadContracts([BASE_SOURCE]) })
    try {
      const { data } = await alone.buyer.call('get_adcp_capabilities')
      expect(data.media_buy).not.toHaveProperty('buying_modes')
    } finally {
      await alone.stop()
    }
  })
})

describe('creative_approval_mode', () => {
  it('is what the rules for the caller say, and for callers without a key what the publisher set for all', async () => {
    const demo = await startAgent({ demo: true, contracts: loadContracts() })
    try {
      const line = (await demo.buyer.call('get_adcp_capabilities')).data.adcp.supported_versions.find(
        (each: string) => each !== '3.0',
      )
      if (line === undefined) return
      const operator = operatorOn(demo.server.store, demo.config)
      const other = demo.client(await demo.addBuyer({ tenant: demo.tenant, principal: 'other' }))
      const modes = async () => {
        const answers = [demo.client(), demo.buyer, other].map((client) =>
          client.call('get_adcp_capabilities', { adcp_version: line, context: { at: randomUUID() } }),
        )
        return (await Promise.all(answers)).map(({ data }) => data.media_buy.creative_approval_mode)
      }
      const rule = (principalId: string, word: string, advertiser?: string) =>
        performAs(operator, demo.tenant, setCreativeRule, {
          buyer: principalId,
          rule: word,
          ...(advertiser !== undefined && { advertiser }),
        })
      expect(await modes()).toEqual(['auto_approve', 'auto_approve', 'auto_approve'])
      await rule('other', 'review', 'shoes.example')
      expect(await modes()).toEqual(['auto_approve', 'auto_approve', 'require_human'])
      await performAs(operator, demo.tenant, setCreativeReview, { mode: 'manual' })
      await rule('other', 'default', 'shoes.example')
      await rule('other', 'approve')
      expect(await modes()).toEqual(['require_human', 'require_human', 'auto_approve'])
    } finally {
      await demo.stop()
    }
  })
})

describe('specialisms', () => {
  it.each(['3.1', '3.2'])(
    'of %s need no steps of the official runner and no tools that another capability declares',
    async (line) => {
      const { data: base } = await agent.buyer.call('get_adcp_capabilities')
      if (!base.adcp.supported_versions.includes(line)) return
      const { data } = await agent.buyer.call('get_adcp_capabilities', { adcp_version: line })
      const sales = (specialisms: string[]) => specialisms.filter((name) => name.startsWith('sales-'))
      expect(sales(data.specialisms)).toEqual(sales(base.specialisms))
    },
  )
})
