import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  // What one story leaves does not stand in the way of the next under --conformance.
  agent = await startReleaseAgent({ conformance: false, sandbox: true })
})
afterAll(() => agent.stop())

const accountOf = (line: string) => ({ ...SUITE_ACCOUNT, brand: { domain: `governed-${line.replace('.', '-')}.example` } })
const declare = (line: string, brand: object) =>
  agent.ask(line, 'sync_accounts', { accounts: [{ ...SUITE_ACCOUNT, brand, billing: 'operator' }] })
const governanceAgent = (index: number) => ({
  url: `https://governance-${index}.example/mcp`,
  authentication: { schemes: ['Bearer'], credentials: 'y'.repeat(40) },
})
const signal = async (line: string, signal_spec = 'electric vehicle buyers') => {
  const { data } = await agent.ask(line, 'get_signals', { signal_spec })
  const [{ signal_agent_segment_id, pricing_options, deployments }] = data.signals
  const { type, platform } = deployments[0]
  return {
    signal_agent_segment_id,
    pricing_option_id: pricing_options[0].pricing_option_id,
    destinations: [{ type, platform }],
  }
}

describe.each(LINES)('activate_signal under AdCP %s', (line) => {
  const denial = line === '3.0' ? 'GOVERNANCE_DENIED' : 'PERMISSION_DENIED'
  const context = { correlation_id: `activation-${line}` }

  test('is denied on an account with a governance agent that was not asked, live signals included', async () => {
    const account = accountOf(line)
    await declare(line, account.brand)
    const wanted = { ...(await signal(line)), account, context }
    const first = await agent.ask(line, 'activate_signal', wanted)
    expect(first.data.deployments, JSON.stringify(first.data)).toMatchObject([{ is_live: true }])
    await agent.ask(line, 'sync_governance', { accounts: [{ account, governance_agents: [governanceAgent(1)] }] })
    const { data, isError } = await agent.ask(line, 'activate_signal', wanted)
    expect(isError).toBe(true)
    expect(data).toMatchObject({ context, adcp_error: { code: denial, recovery: 'correctable', field: 'governance_context' } })
    const ended = await agent.ask(line, 'activate_signal', { ...wanted, action: 'deactivate' })
    expect(ended.data.deployments, JSON.stringify(ended.data)).toMatchObject([{ is_live: false }])
  })

  test('is denied under the same code by a plan that has no money for it', async () => {
    const brand = { domain: `plan-${line.replace('.', '-')}.example` }
    await declare(line, brand)
    await agent.control('seed_plan', {
      plan_id: `none-${line}`,
      fixture: {
        brand,
        objectives: 'Nothing',
        budget: { total: 0, currency: 'USD', reallocation_threshold: 0 },
        flight: { start: '2026-03-01T00:00:00Z', end: '2026-12-31T00:00:00Z' },
        countries: ['NZ'],
      },
    })
    const wanted = { ...(await signal(line, 'high lifetime value customers')), account: { ...SUITE_ACCOUNT, brand } }
    const { data } = await agent.ask(line, 'activate_signal', wanted)
    expect(data.adcp_error, JSON.stringify(data)).toMatchObject({ code: denial, details: { plan_id: `none-${line}` } })
    expect(data.adcp_error.details.findings.length).toBeGreaterThan(0)
  })
})

describe.each(LINES)('report_usage under AdCP %s', (line) => {
  test('of a sandbox buyer takes a period in the future, and each record once', async () => {
    const account = { ...SUITE_ACCOUNT, brand: { domain: `usage-${line.replace('.', '-')}.example` } }
    await declare(line, account.brand)
    const wanted = await signal(line)
    await agent.ask(line, 'activate_signal', { ...wanted, account })
    const { signal_agent_segment_id, pricing_option_id } = wanted
    const record = { account, signal_agent_segment_id, pricing_option_id, impressions: 1000, vendor_cost: 3.5, currency: 'USD' }
    const asked = { reporting_period: { start: '2027-03-01T00:00:00Z', end: '2027-03-31T23:59:59Z' }, usage: [record] }
    const { data } = await agent.ask(line, 'report_usage', asked)
    expect(data, JSON.stringify(data)).toMatchObject({ accepted: 1 })
    const { data: again } = await agent.ask(line, 'report_usage', asked)
    expect(again).toMatchObject({ accepted: 0, errors: [{ code: 'INVALID_STATE', field: 'usage[0]' }] })
  })
})

test('an account with several governance agents, which came under 3.0, is shown with one of them from 3.1 on', async () => {
  const account = accountOf('several')
  await declare('3.0', account.brand)
  const synced = await agent.ask('3.0', 'sync_governance', {
    accounts: [{ account, governance_agents: [governanceAgent(1), governanceAgent(2)] }],
  })
  expect(synced.data.accounts[0].governance_agents).toHaveLength(2)
  for (const line of LINES) {
    const { data } = await agent.ask(line, 'list_accounts', {})
    const listed = data.accounts.find((each: { brand: { domain: string } }) => each.brand.domain === account.brand.domain)
    expect(listed.governance_agents, line).toHaveLength(line === '3.0' ? 2 : 1)
  }
})
