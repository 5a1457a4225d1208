import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STEPS } from '../../src/pipeline/pipeline.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
const logged: string[] = []

beforeAll(async () => {
  agent = await startAgent({ onLog: (line) => logged.push(line) })
})
afterAll(() => agent.stop())

const account = { brand: { domain: 'acme.example' }, operator: 'acme.example', billing: 'operator' }
const sync = (accounts: unknown = [account], extra: object = {}) => ({ idempotency_key: randomUUID(), accounts, ...extra })

describe('the order of the pipeline', () => {
  it('is the one list', () => {
    expect(STEPS.map((step) => step.name)).toEqual([
      'authenticate',
      'admit',
      'limitRate',
      'rejectCredentials',
      'negotiateRelease',
      'gateSandbox',
      'authorize',
      'checkValues',
      'validateRequest',
      'convertRequest',
      'resolveAccount',
      'limitWork',
      'chooseText',
      'answerAsForced',
      'answerFromCache',
      'replay',
      'presentResponse',
      'listIgnored',
    ])
  })

  it('bad auth wins over a bad payload', async () => {
    const reply = await agent.client('sk_wrong').call('sync_accounts', { accounts: 'no list' })
    expect(reply.status).toBe(401)
    expect(reply.data.adcp_error).toMatchObject({ code: 'AUTH_INVALID', recovery: 'terminal' })
    expect(reply.headers.get('www-authenticate')).toBe(`Bearer realm="${agent.url}", error="invalid_token"`)
  })

  it('a missing credential wins over a credential in the arguments', async () => {
    const reply = await agent.client().call('sync_accounts', sync([account], { ext: { api_key: 'x' } }))
    expect(reply.status).toBe(401)
    expect(reply.data.adcp_error.code).toBe('AUTH_REQUIRED')
    expect(reply.headers.get('www-authenticate')).toBe(`Bearer realm="${agent.url}"`)
  })

  it('a bad credential is refused on a public task too', async () => {
    const reply = await agent.client('sk_wrong').call('get_adcp_capabilities')
    expect(reply.status).toBe(401)
    expect(reply.data.adcp_error.code).toBe('AUTH_INVALID')
  })

  it('a credential in context is refused before validation, and not echoed', async () => {
    const reply = await agent.buyer.call('sync_accounts', {
      accounts: 'no list',
      context: { note: 'kept', access_token: 'sesame-1' },
    })
    expect(reply.status).toBe(200)
    expect(reply.isError).toBe(true)
    expect(reply.data.adcp_error).toEqual({
      code: 'CREDENTIAL_IN_ARGS',
      recovery: 'terminal',
      message: expect.any(String),
    })
    expect(reply.data).not.toHaveProperty('context')
    expect(JSON.stringify(reply.raw)).not.toContain('sesame-1')
    expect(logged.join('\n')).not.toContain('sesame-1')
  })

  it('a credential wins over an unsupported version', async () => {
    const reply = await agent.buyer.call('sync_accounts', sync([account], { adcp_major_version: 99, ext: { password: '' } }))
    expect(reply.data.adcp_error.code).toBe('CREDENTIAL_IN_ARGS')
  })

  it('an unsupported version wins over a bad payload', async () => {
    const reply = await agent.buyer.call('sync_accounts', { adcp_major_version: 99, context: { trace: 't-1' } })
    expect(reply.data.adcp_error).toMatchObject({ code: 'VERSION_UNSUPPORTED', details: { supported_major_versions: [3] } })
    expect(reply.data.context).toEqual({ trace: 't-1' })
  })

  it('a missing scope wins over a bad payload', async () => {
    const key = await agent.addBuyer({ principal: 'reader', scopes: ['adcp:products'] })
    const reply = await agent.client(key).call('sync_accounts', { accounts: 'no list' })
    expect(reply.status).toBe(200)
    expect(reply.data.adcp_error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', recovery: 'correctable' })
  })

  it('a bad payload names the field', async () => {
    const reply = await agent.buyer.call(
      'sync_accounts',
      sync([{ ...account, billing: 'nobody' }], { context: { trace: 't-2' } }),
    )
    expect(reply.data.adcp_error).toMatchObject({
      code: 'INVALID_REQUEST',
      recovery: 'correctable',
      field: 'accounts[0].billing',
    })
    expect(reply.data.adcp_error.issues[0]).toMatchObject({ pointer: '/accounts/0/billing', keyword: 'enum' })
    expect(reply.data.errors[0].code).toBe('INVALID_REQUEST')
    expect(reply.data.error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.any(String) })
    expect(reply.data.context).toEqual({ trace: 't-2' })
  })

  it('an unknown task answers in the same envelope', async () => {
    const reply = await agent.buyer.call('make_coffee', { context: { trace: 't-3' } })
    expect(reply.isError).toBe(true)
    expect(reply.data.adcp_error.code).toBe('INVALID_REQUEST')
    expect(reply.data.context).toEqual({ trace: 't-3' })
  })

  it('every log line of a call carries its request id, which the reply shows', async () => {
    logged.length = 0
    const reply = await agent.buyer.call('sync_accounts', sync())
    const id = reply.headers.get('x-request-id')
    expect(id).toBeTruthy()
    const lines = logged.map((line) => JSON.parse(line)).filter((line) => line.task === 'sync_accounts')
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line.request).toBe(id)
  })
})
