import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { examine, type Instruments } from '../../../src/features/doctor/examine.ts'
import { examineKeys } from '../../../src/features/doctor/keys.ts'
import { parseJson } from '../../../src/platform/decode/parse-json.ts'
import { createSafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { replaceCompromised } from '../../../src/security/signing/key-rotation.ts'
import { ensureSigningKey } from '../../../src/security/signing/stored-keys.ts'
import { createAuthority } from '../../support/fake-web/certificate.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

const HOST = 'ads.seller.example'
const URL_OF_AGENT = `https://${HOST}/mcp`
const schemas = new Schemas()
const authority = createAuthority()
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-doctor-'))
let agent: TestAgent

beforeAll(async () => {
  const { cert, key } = authority.issue(HOST)
  for (const [name, text] of [
    ['cert.pem', cert],
    ['key.pem', key],
  ] as const)
    writeFileSync(join(folder, name), text)
  agent = await startAgent({
    demo: true,
    flags: {
      mode: 'production',
      publicUrl: `https://${HOST}`,
      allowedHosts: ['www.seller.example'],
      'tls.cert': join(folder, 'cert.pem'),
      'tls.key': join(folder, 'key.pem'),
    },
  })
  const box = await operatorOn(agent.server.store, agent.config).services.signingKeyBox()
  await agent.server.store.transaction((tx) => ensureSigningKey(tx, box, 'request-signing', new Date()))
})
afterAll(async () => {
  await agent.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Instruments for which every host of the web is this one server. */
async function instruments(options: { port?: number; ca?: string; shiftSeconds?: number } = {}): Promise<Instruments> {
  const port = options.port ?? agent.server.port
  const ca = options.ca ?? authority.ca
  const clock = () => new Date(Date.now() + (options.shiftSeconds ?? 0) * 1000)
  return {
    safeFetch: createSafeFetch({
      userAgent: 'test',
      mode: 'development',
      development: { port },
      lookup: async () => ['127.0.0.1'],
      ca,
    }),
    probe: {
      clock,
      ca,
      port,
      lookup: (_host, { all }, done) => (all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)),
    },
    schemas,
    clock,
    parseJson,
    signer: await agent.server.keys.signer('request-signing'),
    ownKeys: (await agent.server.keys.published()).map(({ kid }) => kid),
  }
}

const problemsOf = async (url: string, tools: Instruments) =>
  (await examine(url, tools)).filter(({ outcome }) => outcome === 'problem')

describe('an agent that is well', () => {
  it('passes every link, a signed call to itself among them', async () => {
    const findings = await examine(URL_OF_AGENT, await instruments())
    expect(findings.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['address', 'ok'],
      ['connection', 'ok'],
      ['certificate', 'ok'],
      ['clock', 'ok'],
      ['capabilities', 'ok'],
      ['backends', 'warning'],
      ['brand.json', 'ok'],
      ['keys', 'ok'],
      ['keys', 'ok'],
      ['authorization servers', 'skipped'],
      ['unauthenticated call', 'ok'],
      ['signed call', 'ok'],
    ])
    expect(findings[1]?.text).toBe('TLSv1.3 with HSTS')
  })

  it('is judged without its keys by anybody else', async () => {
    const findings = await examine(URL_OF_AGENT, { ...(await instruments()), signer: undefined, ownKeys: undefined })
    expect(findings.at(-1)).toMatchObject({ check: 'signed call', outcome: 'skipped' })
    expect(findings.every(({ outcome }) => outcome !== 'problem')).toBe(true)
  })

  it('over plain HTTP on this machine is examined in development, and says what needs https', async () => {
    const local = await startAgent({ demo: true })
    const url = `http://127.0.0.1:${local.server.port}/mcp`
    const tools = { ...(await instruments()), plainLoopback: true }
    const safeFetch = createSafeFetch({ userAgent: 'test', mode: 'development', development: { plainHttp: true } })
    const findings = await examine(url, { ...tools, safeFetch, ownKeys: undefined })
    expect(findings.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['address', 'warning'],
      ['connection', 'skipped'],
      ['capabilities', 'ok'],
      ['backends', 'warning'],
      ['brand.json', 'skipped'],
      ['keys', 'warning'],
      ['keys', 'ok'],
      ['authorization servers', 'skipped'],
      ['unauthenticated call', 'ok'],
      ['signed call', 'skipped'],
    ])
    await local.stop()
    const gone = await examine(url, { ...tools, safeFetch })
    expect(gone.slice(1)).toMatchObject([{ check: 'connection', text: 'nothing listens at this address and port' }])
    const refused = await examine(url, { ...tools, safeFetch, plainLoopback: false })
    expect(refused).toMatchObject([
      { check: 'address', outcome: 'problem' },
      { check: 'connection', outcome: 'skipped', text: 'nothing behind this address was examined' },
    ])
  })

  it('its own key may ask what anybody may ask, and nothing else', async () => {
    const { signer, ...tools } = await instruments()
    const [only] = await problemsOf(URL_OF_AGENT, { ...tools, signer: signer && { ...signer, keyid: 'unknown' } })
    expect(only).toMatchObject({ check: 'signed call', text: expect.stringContaining('does not know') })
  })
})

describe('what is wrong is said in words', () => {
  it.each([
    ['no url', 'address', 'is not a URL'],
    [`http://${HOST}/mcp`, 'address', 'is not https'],
    [`https://${HOST}/mcp?x=1`, 'address', 'query'],
    ['https://other.seller.example/mcp', 'connection', 'the certificate is for another name'],
  ])('%s: %s', async (url, check, text) => {
    const [first, ...more] = await problemsOf(url, await instruments())
    expect(first).toMatchObject({ check, text: expect.stringContaining(text), advice: expect.any(String) })
    expect(more).toEqual([])
  })

  it('an unknown authority', async () => {
    const [first] = await problemsOf(URL_OF_AGENT, await instruments({ ca: createAuthority().ca }))
    expect(first).toMatchObject({ check: 'connection', text: expect.stringMatching(/chain|self-signed|root/) })
  })

  it('nobody listens, or it is no TLS', async () => {
    const plain = createServer((_request, response) => response.end('hello'))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port } = plain.address() as AddressInfo
    expect(await problemsOf(URL_OF_AGENT, await instruments({ port }))).toMatchObject([
      { check: 'connection', text: 'this is not TLS' },
    ])
    await new Promise((resolve) => plain.close(resolve))
    expect(await problemsOf(URL_OF_AGENT, await instruments({ port }))).toMatchObject([
      { check: 'connection', text: 'nothing listens at this address and port' },
    ])
  })

  it('clocks apart: seen from the Date header and from the refused signature', async () => {
    const problems = await problemsOf(URL_OF_AGENT, await instruments({ shiftSeconds: -600 }))
    expect(problems.map(({ check }) => check)).toEqual(['clock', 'signed call'])
    expect(problems[0]?.text).toMatch(/^the server's clock is (599|600) seconds ahead/)
    expect(problems[1]?.text).toContain('time window')
  })

  it('another spelling of the URL than brand.json has', async () => {
    const [problem] = await problemsOf(`https://${HOST}//mcp`, await instruments())
    expect(problem).toMatchObject({ check: 'capabilities' })
    const wrongPath = await problemsOf(`https://${HOST}:443/t/demo/mcp`, await instruments())
    expect(wrongPath[0]).toMatchObject({ check: 'brand.json', text: 'brand.json does not list the agent' })
  })

  it('another server at the address', async () => {
    const stale = { ...(await instruments()), ownKeys: ['a-key-of-ours'] }
    expect(await problemsOf(URL_OF_AGENT, stale)).toMatchObject([
      { check: 'keys', text: expect.stringContaining('a-key-of-ours') },
    ])
  })

  it('a key set with private keys, or with none', async () => {
    const look = (document: object) =>
      examineKeys('https://keys.example/jwks.json', {
        fetchDocument: async () => ({ status: 200, body: Buffer.from(JSON.stringify(document)) }),
        parseJson,
      })
    expect(await look({ keys: [{ kid: 'k', kty: 'OKP', x: 'x', d: 'secret' }] })).toMatchObject([
      { outcome: 'problem', text: expect.stringContaining('PRIVATE') },
    ])
    expect(await look({ keys: [] })).toMatchObject([{ outcome: 'warning' }, { outcome: 'warning' }])
    expect(await look({ keyz: [] })).toMatchObject([{ outcome: 'problem' }])
  })

  it('a replaced key is known at once, the one before no longer', async () => {
    const before = await instruments()
    const box = await operatorOn(agent.server.store, agent.config).services.signingKeyBox()
    await agent.server.store.transaction((tx) => replaceCompromised(tx, box, 'request-signing', new Date()))
    const problems = await problemsOf(URL_OF_AGENT, before)
    expect(problems.map(({ check }) => check)).toContain('keys')
  })
})
