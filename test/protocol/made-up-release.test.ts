import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineTask } from '../../src/pipeline/task.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { saveTenantSettings } from '../../src/store/identity/tenants.ts'
import { MadeUpRelease } from '../support/made-up-release.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const ringBell = defineTask<{ times?: number }, { rung: number }>()({
  name: 'ring_bell',
  access: 'authenticated',
  scope: 'products',
  summary: 'Rings a bell.',
  handle: async ({ times = 1 }) => ({ rung: times }),
})

const release = new MadeUpRelease('3.9')
release.change('manifest.json', (manifest) => {
  manifest.adcp_version = '3.9.0'
  const [request_schema, response_schema] = ['media-buy/ring-bell-request.json', 'media-buy/ring-bell-response.json']
  manifest.tools.ring_bell = { protocol: 'media-buy', mutating: false, request_schema, response_schema }
  manifest.error_codes.REFERENCE_NOT_FOUND.recovery = 'transient'
})
release.change('media-buy/ring-bell-request.json', (schema) => {
  Object.assign(schema, { $id: '/schemas/3.9/media-buy/ring-bell-request.json', type: 'object' })
  schema.properties = { times: { type: 'integer', minimum: 1 } }
})
release.change('media-buy/ring-bell-response.json', (schema) => {
  Object.assign(schema, { $id: '/schemas/3.9/media-buy/ring-bell-response.json', type: 'object' })
  Object.assign(schema, { properties: { rung: { type: 'integer' } }, required: ['rung'] })
})
release.change('account/list-accounts-request.json', (schema) => {
  schema.properties.purpose = { type: 'string', enum: ['audit', 'planning'] }
  schema.required = ['purpose']
})
release.change('account/list-accounts-response.json', (schema) => {
  schema.properties.account_list = schema.properties.accounts
  delete schema.properties.accounts
  schema.required = ['account_list']
})
release.change('property/create-property-list-response.json', (schema) => {
  schema.properties.property_list = schema.properties.list
  delete schema.properties.list
  schema.required = ['property_list', 'auth_token']
})
// No converter gives this member: an account cannot be declared under this release.
release.change('account/sync-accounts-response.json', (schema) => {
  schema.required = ['receipt']
})

const renamed = (from: string, to: string) => (answer: Readonly<Record<string, unknown>>) => {
  const { [from]: value, ...rest } = answer
  return { ...rest, [to]: value }
}
const source = release.source({
  requests: { list_accounts: ({ purpose: _, ...request }) => request },
  answers: { list_accounts: renamed('accounts', 'account_list'), create_property_list: renamed('list', 'property_list') },
})

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ contracts: loadContracts([BASE_SOURCE, source]), tasks: [ringBell] })
})
afterAll(async () => {
  await agent.stop()
  release.remove()
})

const call = async (tool: string, args: object) => (await agent.buyer.call(tool, args)).data

describe('a release that is added by one folder and one row', () => {
  test('leaves calls that name no release, or the one before, as they were', async () => {
    for (const version of [{}, { adcp_version: '3.0' }, { adcp_version: '3.8' }]) {
      const data = await call('list_accounts', version)
      expect(data).toMatchObject({ accounts: [] })
      expect(data).not.toHaveProperty('adcp_version')
    }
  })

  test('judges its callers by its own request schema', async () => {
    const { adcp_error } = await call('list_accounts', { adcp_version: '3.9' })
    expect(adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'purpose', recovery: 'correctable' })
    expect(adcp_error.message).toContain('audit')
  })

  test('answers in its own shape and says so', async () => {
    for (const adcp_version of ['3.9', '3.12', '3.9.4']) {
      const data = await call('list_accounts', { adcp_version, purpose: 'audit' })
      expect(data).toMatchObject({ adcp_version: '3.9', status: 'completed', account_list: [] })
      expect(data).not.toHaveProperty('accounts')
    }
  })

  test('is named with an error too', async () => {
    const later = await call('get_property_list', { adcp_version: '3.9', list_id: 'pl_none' })
    expect(later).toMatchObject({ adcp_version: '3.9', status: 'failed', adcp_error: { code: 'REFERENCE_NOT_FOUND' } })
    expect(later.adcp_error.recovery).toBe('transient')
    const earlier = await call('get_property_list', { list_id: 'pl_none' })
    expect(earlier.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', recovery: 'correctable' })
    expect(earlier).not.toHaveProperty('adcp_version')
  })

  test('has a task that the release before has not', async () => {
    expect(await call('ring_bell', { adcp_version: '3.9', times: 3 })).toMatchObject({ rung: 3, adcp_version: '3.9' })
    // A call that names no release is answered in the lowest one that has the task.
    expect(await call('ring_bell', { times: 2 })).toMatchObject({ rung: 2, adcp_version: '3.9' })
    const { adcp_error } = await call('ring_bell', { adcp_version: '3.0', times: 3 })
    expect(adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'adcp_version' })
    expect(adcp_error.message).toBe('AdCP 3.0 has no task ring_bell; send adcp_version "3.9"')
  })

  test('refuses versions of other majors, naming what is served', async () => {
    const { adcp_error } = await call('list_accounts', { adcp_version: '4.0' })
    expect(adcp_error).toMatchObject({ code: 'VERSION_UNSUPPORTED', details: { supported_versions: ['3.0', '3.9'] } })
  })

  test('takes an effect back whose answer its schema refuses', async () => {
    const accounts = [{ brand: { domain: 'brand.example' }, operator: 'agency.example', billing: 'operator' }]
    const request = { accounts, idempotency_key: randomUUID() }
    const { adcp_error } = await call('sync_accounts', { ...request, adcp_version: '3.9' })
    expect(adcp_error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(await call('list_accounts', {})).toMatchObject({ accounts: [] })
    // The key is free again, for a release that can be answered in.
    expect(await call('sync_accounts', request)).toMatchObject({ accounts: [{ action: 'created' }] })
  })

  test('gives the answer of a repeated call in the release that the repetition names', async () => {
    const request = { name: 'sites', idempotency_key: randomUUID() }
    const first = await call('create_property_list', { ...request, adcp_version: '3.9' })
    expect(first.property_list).toMatchObject({ name: 'sites' })
    const again = await call('create_property_list', request)
    expect(again).toMatchObject({ replayed: true, list: { list_id: first.property_list.list_id } })
    expect(again).not.toHaveProperty('property_list')
  })

  test('has its members in the list of tools, and its schemas among the resources', async () => {
    const listed = await agent.buyer.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { tools } = ((await listed.json()) as { result: { tools: { name: string; inputSchema: { required?: string[] } }[] } })
      .result
    const schemaOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema
    expect(schemaOf('ring_bell')).toMatchObject({ properties: { times: { type: 'integer' } } })
    expect(schemaOf('list_accounts')).toMatchObject({ properties: { purpose: { type: 'string' }, sandbox: {} } })
    expect(schemaOf('list_accounts')?.required ?? []).not.toContain('purpose')
  })

  test('is not offered by a publisher that leaves it out', async () => {
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, 'acme', { releases: ['3.0'] }))
    const { adcp_error } = await call('ring_bell', { adcp_version: '3.9' })
    expect(adcp_error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', message: 'AdCP 3.0 has no task ring_bell' })
    expect((await call('get_adcp_capabilities', {})).adcp.supported_versions).toEqual(['3.0'])
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, 'acme', { releases: ['3.9'] }))
    expect((await call('list_accounts', {})).adcp_error).toMatchObject({ field: 'purpose' })
    const refused = await call('list_accounts', { adcp_version: '3.0' })
    expect(refused.adcp_error).toMatchObject({ code: 'VERSION_UNSUPPORTED', details: { supported_versions: ['3.9'] } })
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, 'acme', {}))
  })

  test('is among the releases that the capabilities name', async () => {
    const { adcp } = await call('get_adcp_capabilities', { adcp_version: '3.9' })
    expect(adcp).toMatchObject({ major_versions: [3], supported_versions: ['3.0', '3.9'] })
  })
})
