import { createHash, randomBytes } from 'node:crypto'
import { hashPassword } from '../../src/security/auth/password.ts'
import { addBasicUser } from '../../src/store/identity/basic-users.ts'
import { OauthBrowser } from './oauth-browser.ts'
import { type AgentOptions, startAgent, type TestAgent } from './start-agent.ts'

export const USER = { username: 'dana', password: 'correct horse battery' }
export const REDIRECT = 'http://127.0.0.1:9/callback'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly scope?: string
  readonly expires_in: number
}

export interface OauthAgent extends TestAgent {
  readonly origin: string
  browser(): OauthBrowser
  register(metadata?: object): Promise<{ status: number; body: Record<string, unknown> }>
  /** Address of an authorization request, and the verifier that goes with it. */
  request(clientId: string, change?: Readonly<Record<string, string | undefined>>): { url: string; verifier: string }
  token(form: Record<string, string>): Promise<{ status: number; body: Record<string, unknown> }>
  /** The whole way: registers, logs in, agrees, exchanges the code. */
  tokens(change?: Readonly<Record<string, string | undefined>>, metadata?: object): Promise<Tokens & { clientId: string }>
}

export const CLIENT = {
  client_name: 'Assistant',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
}

/** An agent that people can log in to, with one user who is the buyer. */
export async function startOauthAgent(options: AgentOptions = {}): Promise<OauthAgent> {
  const agent = await startAgent({ ...options, flags: { 'oauth.enabled': true, ...options.flags } })
  const origin = `http://127.0.0.1:${agent.server.port}`
  // A cheap hash: the cost of the real one is tested with the Basic users.
  const passwordHash = await hashPassword(USER.password, { N: 16, r: 1, p: 1 })
  await agent.server.store.transaction((tx) =>
    addBasicUser(tx, { tenantId: 'acme', principalId: 'buyer', username: USER.username, passwordHash }, new Date()),
  )
  const post = async (path: string, type: string, body: string) => {
    const response = await fetch(origin + path, { method: 'POST', headers: { 'content-type': type }, body })
    return { status: response.status, body: JSON.parse((await response.text()) || '{}') }
  }
  const register: OauthAgent['register'] = (metadata = CLIENT) =>
    post('/oauth/register', 'application/json', JSON.stringify(metadata))
  const request: OauthAgent['request'] = (clientId, change = {}) => {
    const verifier = randomBytes(32).toString('base64url')
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'state-1',
      resource: `${origin}/mcp`,
      ...change,
    }
    const query = new URLSearchParams(
      Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    return { url: `${origin}/oauth/authorize?${query}`, verifier }
  }
  const token: OauthAgent['token'] = (form) =>
    post('/oauth/token', 'application/x-www-form-urlencoded', new URLSearchParams(form).toString())
  return {
    ...agent,
    origin,
    browser: () => new OauthBrowser(origin),
    register,
    request,
    token,
    async tokens(change = {}, metadata = CLIENT) {
      const registered = await register(metadata)
      const clientId = String(registered.body.client_id)
      const { url, verifier } = request(clientId, change)
      const answer = await new OauthBrowser(origin).authorize(url, USER.username, USER.password)
      const code = answer.searchParams.get('code') ?? ''
      const { status, body } = await token({
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
      })
      if (status !== 200) throw new Error(`no tokens: ${answer} ${status} ${JSON.stringify(body)}`)
      return { ...(body as unknown as Tokens), clientId }
    },
  }
}
