import { afterAll, beforeAll, expect, it } from 'vitest'
import { OWN_TENANT } from '../../../src/compose/trusted-match/match-provider.ts'
import { BODY_ROOM } from '../../../src/platform/net/body-room.ts'
import { listSyncedPackages, replaceSyncedPackages } from '../../../src/store/trusted-match/synced-packages.ts'
import { parseMatchJsonInTurns } from '../../../src/transports/trusted-match/match-json.ts'
import { SELLER } from '../../support/match-router.ts'
import { type ReferenceProvider, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'
import { answerToUnfinished } from '../../support/unfinished.ts'

let provider: ReferenceProvider
beforeAll(async () => {
  provider = await startReferenceProvider({ sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }] })
})
afterAll(() => provider?.stop())

const packages = (count: number, catalog: string) =>
  Array.from({ length: count }, (_, index) => ({
    package_id: `package ${index}`,
    media_buy_id: 'x',
    seller_agent: { agent_url: SELLER },
    catalogs: [{ type: 'product', name: catalog }],
  }))

// The address of 14 MB took 6.5 s to be compared with that of the seller.
it.each([
  ['package_id', { package_id: 'x'.repeat(513) }, 'packages[1].package_id is 513 characters long; at most 512 are accepted.'],
  [
    'media_buy_id',
    { media_buy_id: 'x'.repeat(14_000_000) },
    'packages[1].media_buy_id is 14000000 characters long; at most 512 are accepted.',
  ],
  [
    'agent_url',
    { seller_agent: { agent_url: `https://a.example/${'%20'.repeat(3_000)}` } },
    'packages[1].seller_agent.agent_url is 9018 characters long; at most 8192 are accepted.',
  ],
  [
    'catalogs',
    { catalogs: [{ type: 'product', name: 'x'.repeat(200_001) }] },
    'packages[1].catalogs[0].name is 200001 characters long; at most 200000 are accepted.',
  ],
])('a package whose %s is beyond the bound of its text is refused, and nothing is changed', async (_name, more, message) => {
  await provider.sync('sync-key', packages(1, 'x'))
  const [first, second] = packages(2, 'x')
  const { status, value } = await provider.sync('sync-key', [first, { ...second, ...more }])
  expect([status, JSON.stringify(value)]).toEqual([400, expect.stringContaining(message)])
  const stored = await listSyncedPackages(provider.store.read, OWN_TENANT)
  expect(stored.filter(({ seller }) => seller !== 'another').map(({ packageId }) => packageId)).toEqual(['package 0'])
})

it('others are served while the JSON of a sync of many megabytes is read', async () => {
  const body = Buffer.from(
    JSON.stringify({ packages: packages(9_000, `${'x'.repeat(1_600)}\ud83d\ude00`) }).replaceAll(
      '\ud83d\ude00',
      '\\ud83d\\ude00',
    ),
  )
  expect(body.length).toBeGreaterThan(14_000_000)
  const { turns, value } = await turnsOf(() => parseMatchJsonInTurns(body))
  expect(value).toMatchObject({ packages: { length: 9_000 } })
  expect(turns).toBeGreaterThan(5)
})

/** The turns of the event loop in which others could be served while something was done. */
async function turnsOf<T>(work: () => Promise<T>) {
  let turns = 0
  let isRunning = true
  const count = () => {
    turns += 1
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  const value = await work()
  isRunning = false
  return { turns, value }
}

it('others are served after every hundred packages that are stored or read', async () => {
  const sent = packages(10_000, 'x')
  const { store } = provider
  const stored = await turnsOf(() => store.transaction((tx) => replaceSyncedPackages(tx, OWN_TENANT, 'another', sent)))
  expect(stored.turns).toBeGreaterThan(99)
  const read = await turnsOf(() => listSyncedPackages(store.read, OWN_TENANT))
  expect(read.turns).toBeGreaterThan(99)
  expect(new Set(read.value.map(({ packageId }) => packageId)).size).toBe(10_000)
  expect(read.value).toContainEqual({ seller: 'another', packageId: 'package 9999', mediaBuyId: 'x' })
})

it('half of a surrogate pair is found wherever it stands in a large body', async () => {
  const of = (text: string) => parseMatchJsonInTurns(Buffer.from(`{"text":"${text}"}`))
  const whole = '\\ud83d\\ude00'
  for (const before of [65_534, 65_535, 65_536, 131_071]) {
    const value: { text?: string } = Object(await of(`${'x'.repeat(before)}${whole}${'x'.repeat(100_000)}`))
    expect(value.text?.length).toBe(before + 100_002)
    await expect(of(`${'x'.repeat(before)}\\ud83d${'x'.repeat(100_000)}`)).rejects.toThrow('half of a surrogate pair')
    await expect(of(`${'x'.repeat(before)}\\ude00`)).rejects.toThrow('half of a surrogate pair')
  }
})

it('a seller has a share of the room for bodies', async () => {
  const place = BODY_ROOM.place({ kind: 'seller', id: SELLER })
  expect(place.grow(32 * 1024 * 1024 - 1024)).toBeUndefined()
  const headers = { Authorization: 'Bearer sync-key', 'Content-Length': 15_000_000 }
  const answer = await answerToUnfinished(provider.origin, '/v1/packages', headers, Buffer.alloc(40_000, ' '))
  expect(answer.slice(0, 12)).toBe('HTTP/1.1 503')
  expect(answer).toMatch(/^retry-after: \d+$/im)
  place.leave()
  const { status, value } = await provider.sync('sync-key', packages(9_000, 'x'.repeat(1_600)))
  expect([status, value]).toMatchObject([200, { accepted: 9_000 }])
})
