import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callText, post } from '../../support/credentials.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const agents: TestAgent[] = []
const start = async (flags: object): Promise<TestAgent> => {
  const agent = await startAgent({ flags: { ...flags } })
  agents.push(agent)
  return agent
}
let production: TestAgent
let proxied: TestAgent
let development: TestAgent

beforeAll(async () => {
  production = await start({ mode: 'production' })
  proxied = await start({ mode: 'production', trustedProxies: ['127.0.0.0/8'] })
  development = await start({})
})
afterAll(() => Promise.all(agents.map((agent) => agent.stop())))

const call = (agent: TestAgent, task: string, headers: readonly string[]) =>
  post(agent.url, callText(task), ['content-type', 'application/json', ...headers])
const bearer = (agent: TestAgent) => ['authorization', `Bearer ${agent.key}`]

describe('credentials over plain HTTP', () => {
  it.each([
    ['a key', 'authorization', 'Bearer sk_any'],
    ['a password', 'authorization', 'Basic dTpw'],
    ['the old header', 'x-adcp-auth', 'sk_any'],
    ['a signature', 'signature', 'sig1=:AAAA:'],
    ['half a signature', 'signature-input', 'sig1=("@method")'],
  ])('%s is refused in production without being looked at, and without asking for more', async (_what, name, value) => {
    const answer = await call(production, 'get_adcp_capabilities', [name, value])
    expect(answer.status).toBe(403)
    expect(answer.body.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', recovery: 'terminal' })
    expect(answer.headers).not.toHaveProperty('www-authenticate')
    expect(answer.headers).not.toHaveProperty('retry-after')
    expect(answer.headers).not.toHaveProperty('location')
    expect(JSON.stringify(answer.body)).not.toContain('sk_any')
  })

  it('does nothing: a valid key is not even used', async () => {
    expect((await call(production, 'list_accounts', bearer(production))).status).toBe(403)
    const rows = await production.server.store.read.selectFrom('api_keys').select('last_used_at').execute()
    expect(rows).toEqual([{ last_used_at: null }])
  })

  it('leaves public tasks without credentials alone', async () => {
    expect((await call(production, 'get_adcp_capabilities', [])).status).toBe(200)
  })

  it('is fine on loopback in development, unless something stands in between', async () => {
    expect((await call(development, 'list_accounts', bearer(development))).status).toBe(200)
    for (const name of ['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip']) {
      const answer = await call(development, 'list_accounts', [
        ...bearer(development),
        name,
        name.endsWith('proto') ? 'https' : '198.51.100.7',
      ])
      expect(answer.status, name).toBe(403)
    }
  })
})

describe('a trusted proxy', () => {
  it('vouches for https with one single value', async () => {
    const answer = await call(proxied, 'list_accounts', [...bearer(proxied), 'x-forwarded-proto', 'https'])
    expect(answer.status).toBe(200)
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  })

  it.each([
    ['nothing', []],
    ['http', ['x-forwarded-proto', 'http']],
    ['a list', ['x-forwarded-proto', 'https, https']],
    ['https after what the caller sent', ['x-forwarded-proto', 'http, https']],
    ['https twice', ['x-forwarded-proto', 'https', 'x-forwarded-proto', 'https']],
    ['another header', ['x-forwarded-scheme', 'https', 'forwarded', 'proto=https', 'front-end-https', 'on']],
  ])('that says %s is refused', async (_what, headers) => {
    const answer = await call(proxied, 'list_accounts', [...bearer(proxied), ...headers])
    expect(answer.status).toBe(403)
    expect(answer.headers).not.toHaveProperty('strict-transport-security')
  })

  it('has to be configured', async () => {
    expect((await call(production, 'list_accounts', [...bearer(production), 'x-forwarded-proto', 'https'])).status).toBe(403)
  })
})
