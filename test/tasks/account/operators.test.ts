import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizesOperator } from '../../../src/domain/account/operator.ts'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import type { AgentClient } from '../../support/client.ts'
import { type FakeWeb, json, startFakeWeb, status } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const NOW = new Date('2026-06-01T00:00:00Z')

describe('authorizesOperator', () => {
  it.each([
    [{ valid_until: '2026-06-01T00:00:00Z' }, false],
    [{ valid_until: '2026-06-01T00:00:01Z', valid_from: '2026-06-01T00:00:00Z' }, true],
    [{ valid_from: '2026-06-02T00:00:00+00:00' }, false],
    [{ valid_until: 'soon' }, false],
    [{ scopes: ['measurement', 'media_buying'] }, true],
    [{ scopes: ['all'] }, true],
    [{ scopes: ['creative_generation'] }, false],
    [{ scopes: [] }, false],
  ])('an entry with %j: %s', (terms, expected) => {
    const document = { authorized_operators: [{ domain: 'agency.example', brands: ['*'], ...terms }] }
    expect(authorizesOperator(document, claim('agency.example'), NOW)).toBe(expected)
  })

  const file = {
    authorized_operators: [
      { domain: 'Agency.example', brands: ['shoes'] },
      { domain: 'house.example', brands: ['*'] },
      { domain: 'none.example', brands: [] },
    ],
  }
  const claim = (operator: string, brandId?: string) => ({ brandDomain: 'brand.example', brandId, operator })

  it.each([
    ['agency.example', 'shoes', true],
    ['agency.example', undefined, true],
    ['agency.example', 'hats', false],
    ['house.example', 'hats', true],
    ['none.example', undefined, false],
    ['stranger.example', 'shoes', false],
    ['evil-agency.example', 'shoes', false],
  ])('%s for %s: %s', (operator, brandId, expected) => {
    expect(authorizesOperator(file, claim(operator, brandId), NOW)).toBe(expected)
  })

  it.each([
    [undefined],
    [null],
    ['text'],
    [{}],
    [{ authorized_operators: 'agency.example' }],
    [{ authorized_operators: [null, 'x'] }],
  ])('a file without a list says no: %j', (document) =>
    expect(authorizesOperator(document, claim('agency.example'), NOW)).toBe(false),
  )
})

describe('a publisher that checks who acts for whom', () => {
  const brandFile = (domain: string) => `https://${domain}/.well-known/brand.json`
  let web: FakeWeb
  let agent: TestAgent
  let clock = new Date()
  beforeAll(async () => {
    web = await startFakeWeb()
    agent = await startAgent({ safeFetch: web.fetch(), clock: () => clock })
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, 'acme', { verifyOperators: true }))
    await registerAs('buyer', 'https://buying.agency.example/mcp')
  })
  afterAll(async () => {
    await agent.stop()
    await web.close()
  })

  async function declare(domain: string, operator: string, client: AgentClient = agent.buyer) {
    const accounts = [{ brand: { domain }, operator, billing: 'operator' }]
    return (await client.call('sync_accounts', { idempotency_key: randomUUID(), accounts })).data.accounts[0]
  }

  /** The publisher registers an address for an agent. */
  const registerAs = (principalId: string, agentUrl: string) =>
    agent.server.store.transaction((tx) =>
      tx.updateTable('principals').set({ agent_url: agentUrl }).where('principal_id', '=', principalId).execute(),
    )
  const strangerAt = async (principal: string, agentUrl?: string) => {
    const client = agent.client(await agent.addBuyer({ principal }))
    if (agentUrl !== undefined) await registerAs(principal, agentUrl)
    return client
  }

  it('takes a brand at its own word, without asking anybody', async () => {
    const brand = await strangerAt('self', 'https://self.example/mcp')
    expect(await declare('self.example', 'self.example', brand)).toMatchObject({ action: 'created', status: 'active' })
    expect(web.requests).toEqual([])
  })

  it('lets a stranger wait who says that it is a listed operator, or the brand itself', async () => {
    web.put(brandFile('known.example'), json({ authorized_operators: [{ domain: 'agency.example', brands: ['*'] }] }))
    web.put(brandFile('agency.example'), json({ agents: [{ type: 'buying', url: 'https://another.example/mcp' }] }))
    const strangers = [
      await strangerAt('stranger', 'https://stranger.example/mcp'),
      await strangerAt('lookalike', 'https://evil-agency.example/mcp'),
      await strangerAt('nameless'),
    ]
    for (const stranger of strangers) {
      for (const operator of ['agency.example', 'known.example']) {
        const waiting = await declare('known.example', operator, stranger)
        expect(waiting).toMatchObject({ status: 'pending_approval' })
        expect(waiting.setup.message).toContain(`nothing shows that you are ${operator}`)
      }
    }
    expect(await declare('known.example', 'agency.example')).toMatchObject({ status: 'active' })
  })

  it('takes an agent elsewhere that the operator lists in its brand.json, as of a relay', async () => {
    const url = 'https://platform.example/agents/relay/mcp'
    const relay = await strangerAt('relay', url)
    web.put(brandFile('relayed.example'), json({ authorized_operators: [{ domain: 'relay-house.example', brands: ['*'] }] }))
    web.put(brandFile('relay-house.example'), json({ agents: [{ type: 'buying', url }] }))
    expect(await declare('relayed.example', 'relay-house.example', relay)).toMatchObject({ status: 'active' })
    const neighbour = await strangerAt('neighbour', 'https://platform.example/agents/other/mcp')
    expect(await declare('relayed.example', 'relay-house.example', neighbour)).toMatchObject({ status: 'pending_approval' })
  })

  it('opens the account of a listed operator', async () => {
    web.put(brandFile('listed.example'), json({ authorized_operators: [{ domain: 'agency.example', brands: ['*'] }] }))
    expect(await declare('listed.example', 'agency.example')).toMatchObject({ action: 'created', status: 'active' })
  })

  it('lets an operator that is not listed wait, says why, and opens the account once the brand has listed it', async () => {
    web.put(brandFile('late.example'), json({ authorized_operators: [] }))
    const waiting = await declare('late.example', 'agency.example')
    expect(waiting).toMatchObject({ action: 'created', status: 'pending_approval' })
    expect(waiting.setup.message).toContain('does not list agency.example')
    const bought = await agent.buyer.call('create_media_buy', {
      idempotency_key: randomUUID(),
      account: { account_id: waiting.account_id },
      brand: { domain: 'late.example' },
      start_time: 'asap',
      end_time: new Date(clock.getTime() + 86_400_000).toISOString(),
      packages: [{ product_id: 'p', pricing_option_id: 'o', budget: 1 }],
    })
    expect(bought.data.adcp_error.code).toBe('ACCOUNT_SETUP_REQUIRED')

    web.put(brandFile('late.example'), json({ authorized_operators: [{ domain: 'agency.example', brands: ['*'] }] }))
    expect(await declare('late.example', 'agency.example')).toMatchObject({ status: 'pending_approval' })
    clock = new Date(clock.getTime() + 16 * 60_000)
    const open = await declare('late.example', 'agency.example')
    expect(open).toMatchObject({ action: 'updated', status: 'active', account_id: waiting.account_id })
    expect(open).not.toHaveProperty('setup')
  })

  it('takes the list in adagents.json where brand.json lists no such operator, or cannot be read', async () => {
    const adagents = (domain: string) => `https://${domain}/.well-known/adagents.json`
    const listed = json({ authorized_operator: [{ domain: 'agency.example', brands: ['*'] }] })
    web.put(brandFile('beside.example'), json({ authorized_operators: [{ domain: 'other.example', brands: ['*'] }] }))
    web.put(adagents('beside.example'), listed)
    expect(await declare('beside.example', 'agency.example')).toMatchObject({ status: 'active' })
    web.put(adagents('alone.example'), listed)
    expect(await declare('alone.example', 'agency.example')).toMatchObject({ status: 'active' })
    web.put(brandFile('neither.example'), json({ authorized_operators: [] }))
    web.put(adagents('neither.example'), json({ authorized_operators: [{ domain: 'agency.example', brands: ['*'] }] }))
    const waiting = await declare('neither.example', 'agency.example')
    expect(waiting).toMatchObject({ status: 'pending_approval' })
    expect(waiting.setup.message).toContain('does not list agency.example')
    // brand.json is enough where it says so.
    expect(web.requests).not.toContain(adagents('listed.example'))
  })

  it('a file that cannot be read proves nothing', async () => {
    web.put(brandFile('down.example'), status(503))
    const waiting = await declare('down.example', 'agency.example')
    expect(waiting).toMatchObject({ status: 'pending_approval' })
    expect(waiting.setup.message).toContain('cannot be read')
  })

  it('sandbox agents act for invented brands and are not asked', async () => {
    const sandbox = agent.client(await agent.addBuyer({ principal: 'sandbox', sandbox: true }))
    expect(await declare('invented.example', 'agency.example', sandbox)).toMatchObject({ status: 'active' })
    expect(web.requests).not.toContain(brandFile('invented.example'))
  })
})
