import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MatchRouterOptions, startMatchRouter } from '../../src/compose/trusted-match/match-router.ts'
import { loadMatchRouterSettings } from '../../src/config/match-router-settings.ts'
import { createLog } from '../../src/platform/log.ts'
import { matchSchemas } from '../../src/protocol/match-schemas.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { authority } from './match-provider.ts'

export const PROPERTY = '01916f3a-9c4e-7000-8000-000000000010'
export const SELLER = 'https://seller.example/mcp'
export const KEY = 'publisher-key'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A router with two publishers and these providers. `more` goes over its file, `options` over how it is started. */
export async function startTestRouter(
  providers: readonly object[],
  more: object = {},
  options: Partial<MatchRouterOptions> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'match-router-'))
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }))
  writeFileSync(join(folder, 'ca.pem'), authority.ca)
  const file = join(folder, 'router.json')
  const lines: string[] = []
  const settings = {
    port: 0,
    development: true,
    deadlineMs: 3000,
    healthSeconds: 0,
    contextCacheSeconds: 0,
    providerCa: 'ca.pem',
    signing: { kid: 'today', key: 'key.pem' },
    publishers: [
      {
        id: 'one',
        sellerAgentUrls: [SELLER],
        properties: [PROPERTY],
        keys: [{ sha256: sha256(KEY) }, { sha256: sha256('page-key'), origins: ['https://news.example'] }],
      },
      {
        id: 'two',
        sellerAgentUrls: ['https://other.example/mcp'],
        properties: ['01916f3a-9c4e-7000-8000-000000000099'],
        keys: [{ sha256: sha256('other-key') }],
      },
    ],
    providers,
    ...more,
  }
  writeFileSync(file, JSON.stringify(settings))
  try {
    const log = createLog('trace', { write: (line) => void lines.push(line) })
    const router = await startMatchRouter(loadMatchRouterSettings(new Schemas(), file), {
      schemas: matchSchemas(),
      log,
      lookup: async () => ['127.0.0.1'],
      ...options,
    })
    const origin = `http://127.0.0.1:${router.port}`
    return {
      ...router,
      origin,
      lines,
      /** Posts a message, or any text. */
      async post(path: string, body: unknown, headers: Readonly<Record<string, string>> = { authorization: `Bearer ${KEY}` }) {
        const answer = await fetch(origin + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
          signal: AbortSignal.timeout(60_000),
        })
        const text = await answer.text()
        const isJson = answer.headers.get('content-type') === 'application/json'
        return { status: answer.status, headers: answer.headers, text, value: isJson ? JSON.parse(text) : undefined }
      },
      async stop() {
        await router.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

export type TestRouter = Awaited<ReturnType<typeof startTestRouter>>

export const contextRequest = (more: object = {}) => ({
  type: 'context_match_request',
  request_id: 'ctx-1',
  property_rid: PROPERTY,
  property_type: 'website',
  placement_id: 'sidebar',
  seller_agent_url: SELLER,
  ...more,
})

export const identityRequest = (more: object = {}) => ({
  type: 'identity_match_request',
  request_id: 'id-1',
  seller_agent_url: SELLER,
  identities: [{ user_token: 'tok_1', uid_type: 'uid2' }],
  country: 'US',
  ...more,
})

/** A registration of a provider for both paths. */
export const registered = (provider_id: string, { endpoint }: { readonly endpoint: string }, more: object = {}) => ({
  provider_id,
  endpoint,
  context_match: true,
  identity_match: true,
  countries: ['US'],
  uid_types: ['uid2'],
  timeout_ms: 3000,
  ...more,
})
