import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { examineMatchProvider } from '../../../src/compose/trusted-match/examine-provider.ts'
import { providerFetch } from '../../../src/compose/trusted-match/match-provider.ts'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { contextRequest, SELLER } from '../../support/match-router.ts'
import { matchSigner, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'

const signer = matchSigner()
const keys = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [signer.key] }))
})
let keysUrl: string
beforeAll(async () => {
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve))
  keysUrl = `http://127.0.0.1:${(keys.address() as AddressInfo).port}/.well-known/agent-signing-key.json`
})
afterAll(() => void keys.close())

const packages = [
  { packageId: 'named', sellerAgentUrl: SELLER, mediaBuyId: 'mb' },
  { packageId: 'waits', sellerAgentUrl: SELLER },
  { packageId: 'off', sellerAgentUrl: SELLER, active: false },
]
const sellers = [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }]
const offered = async (provider: Awaited<ReturnType<typeof startReferenceProvider>>) => {
  const { status, value } = await provider.ask('/context', contextRequest(), undefined, signer)
  return { status, ids: (value.offers ?? []).map((offer: { package_id: string }) => offer.package_id) }
}

it('in development reads the key of a router over plain HTTP from a loopback address', async () => {
  const provider = await startReferenceProvider({ development: true, routers: [{ keysUrl }], packages, sellers })
  expect(await offered(provider)).toEqual({ status: 200, ids: ['named'] })
  await provider.stop()
})

it('refuses at its start an address of keys that it would never read', async () => {
  const start = (development: boolean, url: string) =>
    startReferenceProvider({ development, routers: [{ keysUrl: url }], packages, sellers }).then((provider) => provider.stop())
  await expect(start(false, keysUrl)).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    message:
      'routers[0].keysUrl is refused: the address is not https; addresses of this machine need development: true in the file',
  })
  await expect(start(true, keysUrl.replace('127.0.0.1', 'localhost'))).rejects.toThrow(
    /^routers\[0\]\.keysUrl is refused: .*no name such as localhost/,
  )
})

it('in development goes no further over plain HTTP than this machine, and to none of its names', async () => {
  const fetch = providerFetch({ development: true })
  const policy = {
    redirects: 'none',
    maxRedirects: 0,
    maxBytes: 1,
    connectMs: 1,
    readMs: 1,
    totalMs: 1,
    contentTypes: undefined,
  } as const
  for (const host of ['192.0.2.1', 'localhost', 'router.example', '10.0.0.1'])
    await expect(fetch(`http://${host}/`, { policy })).rejects.toMatchObject({ code: 'not_https' })
})

it('says at its start which packages wait for a sync, and doctor says so until they are synced', async () => {
  const settings = { development: true, routers: [{ keysUrl }], packages, sellers }
  const provider = await startReferenceProvider(settings)
  const started = provider.lines.map((line) => JSON.parse(line)).find(({ packages: waiting }) => waiting !== undefined)
  expect(started).toMatchObject({ packages: ['waits'], msg: expect.stringContaining('not matched until their seller syncs') })
  const examined = async () => (await provider.examine()).map(({ outcome, text }) => `${outcome}: ${text}`)
  expect(await examined()).toEqual([`ok: keys of routers: ${signer.key.kid}`, 'warning: not matched: waits'])
  const synced = await provider.sync('sync-key', [
    { package_id: 'waits', media_buy_id: 'mb-2', seller_agent: { agent_url: SELLER } },
  ])
  expect(synced.status, JSON.stringify(synced.value)).toBe(200)
  expect(await examined()).toEqual([`ok: keys of routers: ${signer.key.kid}`, 'ok: 3 packages in the file, 1 synced by sellers'])
  await provider.stop()
})

it('says of a sync which packages have no rules, that a seller has none in flight, and what still waits', async () => {
  const provider = await startReferenceProvider({ development: true, routers: [{ keysUrl }], packages, sellers })
  const said = () => provider.lines.map((line) => JSON.parse(line)).filter(({ seller }) => seller !== undefined)
  const free = { package_id: 'free', media_buy_id: 'mb-3', seller_agent: { agent_url: SELLER } }
  await provider.sync('sync-key', [free])
  expect(said().at(-1)).toMatchObject({
    seller: SELLER,
    packages: 1,
    withoutRules: 1,
    waiting: ['waits'],
    msg: 'a seller synced its packages; those without rules in the file are offered in every context and to everybody',
  })
  await provider.sync('sync-key', [{ ...free, package_id: 'waits' }, free])
  const [, found] = await provider.examine()
  expect(found?.text).toBe(
    '3 packages in the file, 2 synced by sellers, 1 of them without rules: offered in every context and to everybody',
  )
  await provider.sync('sync-key', [])
  expect(said().at(-1)).toMatchObject({ packages: 0, msg: expect.stringContaining('has no package in flight') })
  await provider.stop()
})

it('doctor says why the keys of a router cannot be read', async () => {
  const provider = await startReferenceProvider({ development: true, routers: [{ keysUrl }] })
  const strict = { ...provider.settings, development: false }
  const [found] = await examineMatchProvider(strict, { schemas: matchSchemas(), place: provider.place })
  expect(found).toMatchObject({
    outcome: 'problem',
    text: 'the keys of a router cannot be read: the address is not https',
    advice: expect.stringContaining('addresses of this machine need development: true in the file'),
  })
  const settings = { ...provider.settings, routers: [{ keysUrl: keysUrl.replace('127.0.0.1', 'localhost') }] }
  const [named] = await examineMatchProvider(settings, { schemas: matchSchemas(), place: provider.place })
  expect(named?.text).toContain('over http only 127.0.0.1 and [::1] are read, no other address and no name such as localhost')
  await provider.stop()
})
