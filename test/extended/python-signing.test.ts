import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportKey, signReport } from '../../src/operator/seller-checks/sign-report.ts'
import { addAgentKeySource } from '../../src/store/identity/agent-key-sources.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'
import { findPython, pythonEnvironment, runScript } from '../support/python.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const AGENT_URL = 'https://buyer.example.com/mcp'
const PAIRS = {
  ed25519: { alg: 'EdDSA', pair: generateKeyPairSync('ed25519') },
  'ecdsa-p256-sha256': { alg: 'ES256', pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }) },
} as const

interface Report {
  readonly success: boolean
  readonly error: string | null
  readonly data?: { readonly accounts?: readonly { readonly status: string }[] }
  readonly signed: readonly { readonly components: readonly string[]; readonly padded: boolean }[]
}

/** The client loads for seconds, and for minutes beside other work on two cores; its packages are installed before. */
const PATIENCE = 1_500_000

const found = await findPython()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if ('reason' in found) console.log(`The Python client's signatures are not tested: ${found.reason}.`)

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ flags: { 'signing.profile': '3.1' } })
  const keys = Object.entries(PAIRS).map(([kid, { alg, pair }]) => ({
    ...pair.publicKey.export({ format: 'jwk' }),
    kid,
    alg,
    use: 'sig',
    key_ops: ['verify'],
    adcp_use: 'request-signing',
  }))
  const [tenantId, principalId] = ['acme', 'signer']
  await agent.server.store.transaction(async (tx) => {
    const signer = { tenantId, principalId, name: 'signer', agentUrl: AGENT_URL, sandbox: false, scopes: ['adcp:*'] }
    await addPrincipal(tx, signer, new Date())
    await addAgentKeySource(tx, { tenantId, principalId, kind: 'jwks', value: JSON.stringify({ keys }) }, new Date())
  })
})
afterAll(() => agent.stop())

const RUNS = [
  { protocol: 'mcp', pin: 'none', algorithm: 'ed25519', profile: 'none' },
  { protocol: 'mcp', pin: '3.0', algorithm: 'ecdsa-p256-sha256', profile: 'none' },
  { protocol: 'mcp', pin: '3.1', algorithm: 'ed25519', profile: 'none' },
  { protocol: 'mcp', pin: '3.2', algorithm: 'ed25519', profile: 'none' },
  { protocol: 'mcp', pin: 'none', algorithm: 'ecdsa-p256-sha256', profile: '3.2' },
  { protocol: 'a2a', pin: 'none', algorithm: 'ed25519', profile: 'none' },
  { protocol: 'a2a', pin: '3.0', algorithm: 'ed25519', profile: 'none' },
  { protocol: 'a2a', pin: '3.2', algorithm: 'ecdsa-p256-sha256', profile: '3.2' },
] as const

/** What the client came to in each run, in one process: to load it takes longer than all the calls. */
async function play(): Promise<readonly Report[]> {
  const python = await pythonEnvironment('python' in found ? found.python : '')
  const runs = RUNS.map((run) => Object.values(run).join(','))
  const pems = Object.entries(PAIRS).map(([name, { pair }]) => [name, pair.privateKey.export({ format: 'pem', type: 'pkcs8' })])
  const keys = JSON.stringify(Object.fromEntries(pems))
  const addresses = ['--mcp', agent.url, '--a2a', new URL(agent.url).origin]
  return (await runScript(python, 'signed_calls.py', [...addresses, ...runs], keys)) as readonly Report[]
}

describe.skipIf('reason' in found)('the Python client of a publisher that asks for signatures', () => {
  let reports: readonly Report[]
  beforeAll(async () => {
    reports = await play()
  }, PATIENCE)

  it.each(RUNS.map((run, index) => ({ ...run, index })))(
    'is let in over $protocol at the pin $pin with $algorithm, signing profile $profile',
    ({ index, profile }) => {
      const report = reports[index]
      expect(report).toMatchObject({ success: true, error: null, data: { accounts: [{ status: 'active' }] } })
      expect(report?.signed.length).toBeGreaterThan(0)
      for (const { components, padded } of report?.signed ?? []) {
        expect(components).toContain('content-digest')
        expect(padded).toBe(profile === '3.2')
      }
    },
  )
})

describe.skipIf('reason' in found)('a signed report of verify-seller', () => {
  it(
    'is verified by PyJWT with the key beside it, and one changed byte is found',
    async () => {
      const root = mkdtempSync(join(tmpdir(), 'signed-report-'))
      try {
        const es256 = {
          ...PAIRS['ecdsa-p256-sha256'].pair.privateKey.export({ format: 'jwk' }),
          kid: 'of-a-person',
          alg: 'ES256',
        }
        const report = { sellers: [{ url: 'https://sales.example/mcp', verdict: 'held', note: 'naïve – ✓' }] }
        const folders: string[] = []
        for (const key of [undefined, es256]) {
          const { text, signature, publicKey } = await signReport(report, reportKey(key))
          for (const written of [text, text.replace('held', 'hold')]) {
            const folder = join(root, String(folders.length))
            mkdirSync(folder)
            writeFileSync(join(folder, 'report.json'), written)
            writeFileSync(join(folder, 'report.json.jws'), `${signature}\n`)
            writeFileSync(join(folder, 'report.key.json'), JSON.stringify(publicKey))
            folders.push(folder)
          }
        }
        const python = await pythonEnvironment('python' in found ? found.python : '')
        const invalid = { valid: false, error: 'InvalidSignatureError' }
        expect(await runScript(python, 'report_signature.py', folders, '')).toEqual([
          { valid: true, kid: expect.stringMatching(/^[\w-]{43}$/) },
          invalid,
          { valid: true, kid: 'of-a-person' },
          invalid,
        ])
      } finally {
        rmSync(root, { recursive: true, force: true })
      }
    },
    PATIENCE,
  )
})
