import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent?.stop())

const declared = (more: object = {}) => ({ ...SUITE_ACCOUNT, billing: 'operator', ...more })

test('capabilities of 3.2 say that accounts have no currency and no timezone of their own', async () => {
  const { data } = await agent.ask('3.2', 'get_adcp_capabilities')
  expect(data.account).toMatchObject({
    supported_account_currency_modes: ['per_media_buy'],
    timezone: { mode: 'seller_fixed', fixed_timezone: 'UTC' },
  })
  const { data: base } = await agent.ask('3.0', 'get_adcp_capabilities')
  expect(base.account).not.toHaveProperty('supported_account_currency_modes')
})

test.each([
  ['currency', { currency: 'EUR' }],
  ['timezone', { timezone: 'Europe/London' }],
  ['operator_unit', { operator_unit: { id: 'seat-1' } }],
])('an account with %s is refused, not opened as the one without', async (name, more) => {
  for (const line of ['3.0', '3.2']) {
    const brand = { domain: `${name.replace('_', '-')}.example` }
    const accounts = [declared({ brand, ...more }), declared({ brand })]
    const { data } = await agent.ask(line, 'sync_accounts', { accounts: accounts.slice(0, 1) })
    expect(data.accounts).toMatchObject([{ action: 'failed', errors: [{ code: 'UNSUPPORTED_PROVISIONING', field: name }] }])
    expect(data.ext?.ignored_members).toBeUndefined()
    const { data: listed } = await agent.ask(line, 'list_accounts', {})
    expect(listed.accounts.filter((each: { brand?: { domain: string } }) => each.brand?.domain === brand.domain)).toEqual([])
  }
})

test('an account without them is opened', async () => {
  const { data } = await agent.ask('3.2', 'sync_accounts', { accounts: [declared({ brand: { domain: 'plain.example' } })] })
  expect(data.accounts).toMatchObject([{ action: 'created' }])
})
