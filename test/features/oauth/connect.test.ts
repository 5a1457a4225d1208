import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLIENT, type OauthAgent, REDIRECT, startOauthAgent, USER } from '../../support/oauth-agent.ts'

let agent: OauthAgent
beforeAll(async () => {
  agent = await startOauthAgent()
})
afterAll(() => agent.stop())

/** What an assistant keeps between the steps; nothing of it was configured by hand. */
function assistant(): OAuthClientProvider & { authorizationUrl: URL | undefined } {
  let client: OAuthClientInformationFull | undefined
  let tokens: OAuthTokens | undefined
  let verifier = ''
  return {
    authorizationUrl: undefined,
    redirectUrl: REDIRECT,
    clientMetadata: CLIENT,
    clientInformation: () => client,
    saveClientInformation: (information) => {
      client = information as OAuthClientInformationFull
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved
    },
    redirectToAuthorization(url) {
      this.authorizationUrl = url
    },
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    codeVerifier: () => verifier,
  }
}

it.each(['/mcp', '/t/acme/mcp'])(
  'an assistant connects by the address alone, with the official MCP client: from 401 to products at %s',
  async (path) => {
    const authProvider = assistant()
    const url = new URL(agent.origin + path)
    const first = new StreamableHTTPClientTransport(url, { authProvider })
    const client = new Client({ name: 'assistant', version: '1' })
    await client.connect(first)
    await expect(client.callTool({ name: 'list_accounts', arguments: {} })).rejects.toThrow(UnauthorizedError)
    const asked = authProvider.authorizationUrl
    expect(asked?.searchParams.get('resource')).toBe(url.href)
    expect(asked?.searchParams.get('code_challenge_method')).toBe('S256')

    const answer = await agent.browser().authorize(String(asked), USER.username, USER.password)
    expect(answer.origin + answer.pathname).toBe(REDIRECT)
    await first.finishAuth(answer.searchParams.get('code') ?? '')

    const second = new Client({ name: 'assistant', version: '1' })
    await second.connect(new StreamableHTTPClientTransport(url, { authProvider }))
    const accounts = await second.callTool({ name: 'list_accounts', arguments: {} })
    expect(accounts.structuredContent).toMatchObject({ accounts: [] })
    const products = await second.callTool({ name: 'get_products', arguments: { buying_mode: 'wholesale' } })
    expect(products.isError ?? false, JSON.stringify(products.content)).toBe(false)
    await client.close()
    await second.close()
  },
)
