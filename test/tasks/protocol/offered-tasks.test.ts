import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { makeMatchKey } from '../../../src/operator/trusted-match/match-keys.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import type { AgentClient } from '../../support/client.ts'
import { acting } from '../../support/operator.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

/** Groups of tasks that need data or a backend of the publisher, by the protocol that they make up. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  signals: /_signals?$/,
  brand: /^get_brand_identity$/,
  rights: /^(get_rights|acquire_rights|update_rights|creative_approval)$/,
  sponsored_intelligence: /^si_/,
  'campaign governance': /^(sync_plans|check_governance|report_plan_outcome|report_plan_adjustment|get_plan_audit_logs)$/,
}

interface Declared {
  readonly tools: readonly string[]
  readonly skills: readonly string[]
  readonly protocols: readonly string[]
  readonly specialisms: readonly string[]
  readonly experimental: readonly string[]
}

/** What a publisher lists and declares to a caller, over MCP and A2A. */
async function declaredTo(client: AgentClient, agent: TestAgent, key?: string): Promise<Declared> {
  const reply = await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
  const { result }: { result: { tools: { name: string }[] } } = JSON.parse(await reply.text())
  const headers: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  const address = new URL('/.well-known/agent-card.json', agent.url)
  const card: { skills: { id: string }[] } = JSON.parse(await (await fetch(address, { headers })).text())
  const { data } = await client.call('get_adcp_capabilities')
  return {
    tools: result.tools.map(({ name }) => name),
    skills: card.skills.map(({ id }) => id),
    protocols: data.supported_protocols,
    specialisms: data.specialisms,
    experimental: data.experimental_features ?? [],
  }
}

const groupsIn = (names: readonly string[]) =>
  Object.keys(GROUPS).filter((group) => names.some((name) => GROUPS[group]?.test(name)))

describe('a publisher without data', () => {
  let agent: TestAgent
  beforeAll(async () => {
    agent = await startAgent()
  })
  afterAll(() => agent.stop())

  it.each(['a buyer', 'a caller without credentials'])('lists and declares to %s only what it can do', async (who) => {
    const key = who === 'a buyer' ? agent.key : undefined
    const { tools, skills, protocols, specialisms, experimental } = await declaredTo(agent.client(key), agent, key)
    expect(groupsIn(tools)).toEqual([])
    expect(groupsIn(skills)).toEqual([])
    expect(protocols).toEqual(['media_buy', 'creative', 'governance'])
    expect(specialisms.filter((each) => /^(sales|signal|brand)-|spend-authority|delivery-monitor/.test(each))).toEqual([])
    expect(experimental).toEqual([])
  })

  it('lists governance once it is a governance agent', async () => {
    const settings = (governanceAgent: boolean) =>
      agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { governanceAgent }))
    await settings(true)
    const { tools, skills, specialisms, experimental } = await declaredTo(agent.buyer, agent, agent.key)
    expect(groupsIn(tools)).toEqual(['campaign governance'])
    expect(groupsIn(skills)).toEqual(['campaign governance'])
    expect(specialisms).toEqual(expect.arrayContaining(['governance-spend-authority', 'governance-delivery-monitor']))
    expect(experimental).toEqual(['governance.campaign'])
    await settings(false)
  })

  it('refuses a caller without credentials on a task that it does not list, as on any', async () => {
    expect((await agent.client().call('activate_signal', {})).status).toBe(401)
  })
})

describe('the demo publisher', () => {
  let agent: TestAgent
  beforeAll(async () => {
    agent = await startAgent({ demo: true })
  })
  afterAll(() => agent.stop())

  it('lists and declares all that it has', async () => {
    const { tools, skills, protocols, specialisms } = await declaredTo(agent.buyer, agent, agent.key)
    expect(groupsIn(tools)).toEqual(Object.keys(GROUPS))
    expect(groupsIn(skills)).toEqual(Object.keys(GROUPS))
    expect(protocols).toEqual(['media_buy', 'creative', 'signals', 'brand', 'sponsored_intelligence', 'governance'])
    expect(specialisms).toHaveLength(19)
  })
})

describe('the tools for buying', () => {
  const FAMILIES = ['create_media_buy', 'buy_products']
  const isIn = (names: readonly string[] = []) => FAMILIES.filter((name) => names.includes(name))
  const listedBy = async (agent: TestAgent, lifecycle?: 'compact' | 'established') => {
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, lifecycle ? { lifecycle } : {}))
    const { tools, skills } = await declaredTo(agent.buyer, agent, agent.key)
    expect(isIn(skills)).toEqual(isIn(tools))
    const { data } = await agent.buyer.call('get_adcp_capabilities', { adcp_version: '3.2' })
    return { listed: isIn(tools), declared: isIn(data.media_buy.lifecycle_tools) }
  }

  it('are listed and declared as the publisher chose, and calls of both families are answered', async () => {
    const agent = await startAgent({ contracts: loadContracts() })
    try {
      const [established, compact] = [['create_media_buy'], ['buy_products']]
      expect(await listedBy(agent)).toEqual({ listed: FAMILIES, declared: compact })
      expect(await listedBy(agent, 'established')).toEqual({ listed: established, declared: [] })
      expect((await agent.buyer.call('list_products', { adcp_version: '3.2' })).data).toMatchObject({ products: [] })
      expect(await listedBy(agent, 'compact')).toEqual({ listed: compact, declared: compact })
      for (const adcp_version of ['3.0', '3.1', '3.2']) {
        const { data } = await agent.buyer.call('get_products', { adcp_version, buying_mode: 'wholesale' })
        expect(data.products).toEqual([])
      }
    } finally {
      await agent.stop()
    }
  })

  it('are the established ones where no release has others', async () => {
    const agent = await startAgent()
    try {
      expect(await listedBy(agent, 'compact')).toEqual({ listed: ['create_media_buy'], declared: [] })
    } finally {
      await agent.stop()
    }
  })
})

describe('what may change between releases', () => {
  it('is declared where it is served, in every release', async () => {
    const contracts = loadContracts()
    const agent = await startAgent({ demo: true, contracts })
    try {
      const declared = async (adcp_version: string) => (await agent.buyer.call('get_adcp_capabilities', { adcp_version })).data
      const served = ['brand.rights_lifecycle', 'governance.campaign', 'sponsored_intelligence.core']
      const before = await declared('3.0')
      expect(before.experimental_features).toEqual(served)
      expect(before.media_buy.execution).not.toHaveProperty('trusted_match')
      await makeMatchKey(acting(operatorOn(agent.server.store, agent.config, contracts), agent.tenant))
      for (const line of before.adcp.supported_versions) {
        const { experimental_features: features, media_buy } = await declared(line)
        expect(features).toContain('trusted_match.core')
        expect(media_buy.execution.trusted_match).toEqual({ surfaces: ['website'] })
      }
    } finally {
      await agent.stop()
    }
  })
})
