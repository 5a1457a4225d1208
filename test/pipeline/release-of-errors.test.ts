import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
let lines: readonly string[]

beforeAll(async () => {
  agent = await startAgent({ contracts: loadContracts() })
  const { data } = await agent.client().call('get_adcp_capabilities')
  lines = data.adcp.supported_versions
})
afterAll(() => agent.stop())

const CODES: Readonly<Record<string, { readonly anonymous: string; readonly brand: string }>> = {
  '3.0': { anonymous: 'AUTH_REQUIRED', brand: 'BRAND_NOT_FOUND' },
  '3.1': { anonymous: 'AUTH_MISSING', brand: 'REFERENCE_NOT_FOUND' },
  '3.2': { anonymous: 'AUTH_MISSING', brand: 'REFERENCE_NOT_FOUND' },
}

it.each(Object.entries(CODES))('an error has the code that release %s gives it', async (line, { anonymous, brand }) => {
  if (!lines.includes(line)) return expect(line).not.toBe('3.0')
  const refused = await agent.client().call('list_accounts', { adcp_version: line })
  expect(refused.status).toBe(401)
  expect(refused.data.adcp_error).toMatchObject({ code: anonymous, recovery: 'correctable' })
  const unknown = await agent.buyer.call('get_brand_identity', { adcp_version: line, brand_id: 'none' })
  expect(unknown.data.adcp_error).toMatchObject({ code: brand, recovery: 'correctable', field: 'brand_id' })
})
