import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oauthBox } from '../../../src/features/oauth/compose.ts'
import { rotateTokenKey } from '../../../src/features/oauth/token-keys.ts'
import { deploymentSecret, secretPath } from '../../../src/security/secrets/deployment-secret.ts'
import { agentClient } from '../../support/client.ts'
import { type OauthAgent, startOauthAgent } from '../../support/oauth-agent.ts'

let agent: OauthAgent
let ahead = 0
const now = () => new Date(Date.now() + ahead)
beforeAll(async () => {
  agent = await startOauthAgent({ clock: now })
})
afterAll(() => agent.stop())

const MINUTE = 60_000
const rotate = (options = {}) => {
  const box = oauthBox(deploymentSecret(secretPath(agent.config.data), undefined))
  return agent.server.store.transaction((tx) => rotateTokenKey(tx, box, now(), options))
}
/** What a running server does every quarter of a minute. */
async function look() {
  agent.server.oauth?.keys.wake()
  await agent.server.oauth?.keys.idle()
}
const published = async () => {
  const { keys }: { keys: { kid: string; d?: string }[] } = JSON.parse(await (await fetch(`${agent.origin}/oauth/jwks`)).text())
  return keys.map((key) => (key.d === undefined ? key.kid : 'private'))
}
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const status = async (token: string) => (await agentClient(agent.url, token).call('list_accounts', {})).status

it('a new key is published before it signs, signs within a minute, and tokens of both count', async () => {
  const { access_token: before, refresh_token: refresh = '', clientId } = await agent.tokens()
  const old = kidOf(before)
  const { kid, kept } = await rotate()
  expect(kept).toEqual([old])
  await look()
  expect(await published()).toEqual([kid, old])
  expect(kidOf((await agent.tokens()).access_token)).toBe(old)
  await expect(rotate()).rejects.toThrow('is new already')

  ahead = 2 * MINUTE
  const { body } = await agent.token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId })
  expect(kidOf(String(body.access_token))).toBe(kid)
  for (const token of [before, String(body.access_token)]) expect(await status(token)).toBe(200)
})

it('the key before it goes when its last token has run out', async () => {
  const [newest, old] = await published()
  ahead = 30 * MINUTE
  await look()
  expect(await published()).toEqual([newest, old])
  ahead = 65 * MINUTE
  await look()
  expect(await published()).toEqual([newest])
})

it('after a leak every access token ends, and refresh tokens get new ones', async () => {
  ahead = 0
  const { access_token: before, refresh_token: refresh = '', clientId } = await agent.tokens()
  const { kid } = await rotate({ compromised: true })
  await look()
  expect(await published()).toEqual([kid])
  expect(await status(before)).toBe(401)
  const { body } = await agent.token({ grant_type: 'refresh_token', refresh_token: refresh, client_id: clientId })
  expect(await status(String(body.access_token))).toBe(200)
})
