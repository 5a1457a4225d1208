import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examineMatchProvider } from '../../src/compose/trusted-match/examine-provider.ts'
import { startMatchProvider } from '../../src/compose/trusted-match/match-provider.ts'
import { loadMatchProviderSettings } from '../../src/config/match-provider-settings.ts'
import { contextSignatureBase } from '../../src/domain/trusted-match/context/context-signature-base.ts'
import { dailyEpoch } from '../../src/domain/trusted-match/daily-epoch.ts'
import { identitySignatureBase } from '../../src/domain/trusted-match/identity/identity-signature-base.ts'
import { createLog } from '../../src/platform/log.ts'
import type { SafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { matchSchemas } from '../../src/protocol/match-schemas.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { createMatchSigner } from '../../src/security/signing/trusted-match-signature.ts'
import { openStore } from '../../src/store/open.ts'

export const PROVIDER_ENDPOINT = 'https://tmp.buyer.example/v1'

const pem = (type: 'ed25519' | 'x25519') => {
  const { privateKey } = type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')
  return String(privateKey.export({ format: 'pem', type: 'pkcs8' }))
}

/** A provider that runs alone with a router's key, and a clock in the test's hand. `more` goes over its file. */
export async function startReferenceProvider(more: object = {}, { outbound }: { readonly outbound?: SafeFetch } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'match-provider-'))
  const signer = createMatchSigner('today', pem('ed25519'))
  writeFileSync(join(folder, 'tmpx.pem'), pem('x25519'))
  const file = join(folder, 'provider.json')
  const settings = {
    port: 0,
    endpoint: PROVIDER_ENDPOINT,
    routers: [{ keys: [{ kid: signer.key.kid, x: signer.key.x }] }],
    tmpx: { kid: 'k1', key: 'tmpx.pem' },
    ...more,
  }
  writeFileSync(file, JSON.stringify(settings))
  let now = new Date('2026-03-10T12:00:00Z')
  const lines: string[] = []
  try {
    const place = { data: folder, databaseConnections: 1 }
    const loaded = loadMatchProviderSettings(new Schemas(), file)
    const provider = await startMatchProvider(loaded, {
      schemas: matchSchemas(),
      place,
      log: createLog('trace', { write: (line) => void lines.push(line) }),
      clock: () => now,
      ...(outbound && { fetch: outbound }),
    })
    const store = await openStore(place, { create: false, migrate: false })
    const origin = `http://127.0.0.1:${provider.port}/v1`
    const call = async (url: string, init: RequestInit = {}) => {
      const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type') === 'application/json'
      return { status: answer.status, headers: answer.headers, value: isJson ? JSON.parse(text) : text }
    }
    const post = (path: string, body: unknown, headers: Readonly<Record<string, string>>) =>
      call(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
    /** Headers of a router's request. Throws for a body that cannot be signed. */
    // biome-ignore lint/suspicious/noExplicitAny: tests sign whatever they want
    const signatureOf = (path: '/context' | '/identity', body: any, endpoint = PROVIDER_ENDPOINT, by = signer) => {
      const base = path === '/context' ? contextSignatureBase : identitySignatureBase
      return { 'x-adcp-signature': by.sign(base(body, endpoint, dailyEpoch(now))), 'x-adcp-key-id': by.key.kid }
    }
    return {
      origin,
      lines,
      settings: loaded,
      place,
      /** What `doctor` finds. */
      examine: () => examineMatchProvider(loaded, { schemas: matchSchemas(), place }),
      store,
      metricsPort: provider.metricsPort,
      setClock: (iso: string) => {
        now = new Date(iso)
      },
      call,
      post,
      signatureOf,
      /** Asks as a router does. `endpoint`: the one that is signed. */
      // biome-ignore lint/suspicious/noExplicitAny: tests send whatever they want
      ask(path: '/context' | '/identity', body: any, endpoint = PROVIDER_ENDPOINT, by = signer) {
        return post(path, body, signatureOf(path, body, endpoint, by))
      },
      sync: (key: string, packages: unknown) => post('/packages', { packages }, { authorization: `Bearer ${key}` }),
      impression(query: Readonly<Record<string, string>>) {
        return call(`${origin}/impression?${new URLSearchParams(query)}`)
      },
      async stop() {
        await store.close()
        await provider.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

export type ReferenceProvider = Awaited<ReturnType<typeof startReferenceProvider>>

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Signs as a router whose key the test gives to the provider. */
export const matchSigner = () => createMatchSigner('theirs', pem('ed25519'))

/** Another router, which no provider knows. */
export const strangerSigner = () => createMatchSigner('today', pem('ed25519'))
