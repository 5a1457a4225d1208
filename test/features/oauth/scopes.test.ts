import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { protectedResources } from '../../../src/features/oauth/scopes.ts'
import { TASKS } from '../../../src/tasks/index.ts'
import { BASE_TASKS } from '../../support/base-tasks.ts'
import { agentClient } from '../../support/client.ts'
import { CLIENT, type OauthAgent, REDIRECT, startOauthAgent, USER } from '../../support/oauth-agent.ts'

let agent: OauthAgent
let clientId: string
beforeAll(async () => {
  agent = await startOauthAgent({ sandbox: true })
  clientId = String((await agent.register(CLIENT)).body.client_id)
})
afterAll(() => agent.stop())

/** Logs in and agrees to one scope; gives the scopes that the consent page names, and the token. */
async function granted(scope: string) {
  const browser = agent.browser()
  const { url, verifier } = agent.request(clientId, { scope })
  const login = await browser.open(url)
  const consent = await browser.submit(login.html, 'login', USER)
  const named = [...consent.html.matchAll(/<small>\(([a-z_:*]+)\)<\/small>/g)].map(([, name]) => name)
  const { location } = await browser.submit(consent.html, 'confirm')
  const { body } = await agent.token({
    grant_type: 'authorization_code',
    code: location.searchParams.get('code') ?? '',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  })
  return { named, error: location.searchParams.get('error'), scope: body.scope, token: String(body.access_token) }
}

const familyOf = ({ scope }: { readonly scope: string }) => scope.split(':', 1)[0]
const FAMILIES = [...new Set(TASKS.map(familyOf))]
/** Tasks of a call that names no release: later ones are unknown there before anybody asks for scopes. */
const taskIn = (family: string | undefined) =>
  BASE_TASKS.find((task) => familyOf(task) === family && task.access === 'authenticated')?.name ?? ''

describe('scopes that a person can grant', () => {
  it.each(FAMILIES)('adcp:%s, which tasks need, is granted by itself and covers those tasks alone', async (family) => {
    const scope = `adcp:${family}`
    const { token, ...answer } = await granted(scope)
    expect(answer).toEqual({ named: [scope], error: null, scope })
    const codeOf = async (name: string) => (await agentClient(agent.url, token).call(name)).data.adcp_error?.code
    expect(await codeOf(taskIn(family))).not.toBe('INSUFFICIENT_PERMISSIONS')
    expect(await codeOf(taskIn(family === 'lists' ? 'accounts' : 'lists'))).toBe('INSUFFICIENT_PERMISSIONS')
  })

  it('are offered, but for everything at once and for tests of the server', () => {
    const offered = protectedResources(agent.origin).mcp.offered
    expect(offered.toSorted()).toEqual(
      FAMILIES.filter((family) => family !== 'compliance')
        .map((family) => `adcp:${family}`)
        .toSorted(),
    )
  })

  it('are, with those of OpenID Connect, all that the metadata lists, for a client that registered for none by name', async () => {
    const answer = await fetch(`${agent.origin}/.well-known/oauth-authorization-server`)
    const { scopes_supported: listed }: { scopes_supported: string[] } = JSON.parse(await answer.text())
    expect(listed).toEqual(expect.arrayContaining(['openid', 'offline_access', 'adcp:products']))
    for (const scope of ['adcp:products offline_access', 'openid adcp:products', 'openid offline_access adcp:products'])
      expect(await granted(scope)).toMatchObject({ error: null, scope: expect.stringContaining('adcp:products') })
    const named = await agent.register({ ...CLIENT, scope: listed.join(' ') })
    expect([named.status, String(named.body.scope).split(' ').toSorted()]).toEqual([201, listed.toSorted()])
  })

  it.each([
    ['adcp:products', 'adcp:products'],
    ['adcp:tasks adcp:products openid', 'adcp:products adcp:tasks'],
    ['adcp:signals offline_access', 'adcp:signals'],
    ['openid offline_access', 'adcp:accounts adcp:creatives adcp:media_buys adcp:products adcp:tasks'],
  ])('of a request that names none are those that the client registered for (%s)', async (scope, expected) => {
    const tokens = await agent.tokens({}, { ...CLIENT, scope })
    expect(tokens.scope?.split(' ').toSorted().join(' ')).toBe(expected)
  })
})
