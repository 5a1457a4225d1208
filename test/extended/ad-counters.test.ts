import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CappedChoices } from '../../src/ad-serving/embedded/choose-capped.ts'
import type { CapCounters } from '../../src/ad-serving/embedded/counters/cap-counters.ts'
import { createCountedChoices } from '../../src/ad-serving/embedded/counters/counted-choices.ts'
import type { Slot } from '../../src/ad-serving/embedded/decide.ts'
import { Engine } from '../../src/ad-serving/embedded/engine.ts'
import type { LineTerms, ServableLine } from '../../src/ad-serving/embedded/line.ts'
import { indexed } from '../../src/ad-serving/embedded/snapshot.ts'
import type { Visitor } from '../../src/ad-serving/embedded/visitor.ts'
import type { ValkeySettings } from '../../src/config/ads-settings.ts'
import { readWords } from '../../src/domain/keyword-match.ts'
import { examineCapCounters } from '../../src/operator/doctor/examine-cap-counters.ts'
import { erasePersonalData } from '../../src/operator/privacy/erase-personal-data.ts'
import { inspectValkey } from '../../src/platform/valkey/inspect-valkey.ts'
import { loadValkey } from '../../src/platform/valkey/valkey-client.ts'
import { createValkeyCounters } from '../../src/platform/valkey/valkey-counters.ts'
import type { Store } from '../../src/store/database.ts'
import { appendEmbeddedEvents } from '../../src/store/embedded/events.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'
import { freePort } from '../../tools/agent/child.ts'
import { findValkey, startValkey, type TestValkey } from '../../tools/agent/valkey.ts'
import { type AdPublisher, startAdPublisher } from '../support/ad-publisher.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

/** Frequency caps that a real server of Valkey or Redis counts, which is killed, emptied and paused. */
const found = findValkey()
const isInstalled = await loadValkey().then(
  () => true,
  () => false,
)
const reason = 'reason' in found ? found.reason : isInstalled ? undefined : 'iovalkey is not installed (npm ci)'
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (reason !== undefined) console.log(`Frequency caps are not counted in Valkey: ${reason}.`)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const NOW = Date.parse('2026-03-02T12:00:00Z')
const VISITOR: Visitor = {
  ...{ country: 'DE', deviceType: 'desktop', devicePlatform: 'windows', browser: 'chrome', language: 'en' },
  ...{ keyValues: new Map(), audiences: [], keywords: readWords([]), isBot: false },
}
const SLOT: Slot = { place: 'home', kind: 'display', sizes: [{ width: 300, height: 250 }] }

let valkey: TestValkey
let folder: string
let store: SqliteStore
const opened: CapCounters[] = []
beforeAll(async () => {
  if (reason === undefined) valkey = await startValkey()
})
afterAll(() => valkey?.stop())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ad-counters-'))
  store = await openSqlite(join(folder, 'store.sqlite'))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
  await store.close()
  rmSync(folder, { recursive: true })
})

const settingsOf = (): ValkeySettings => ({ servers: [valkey.server], cluster: false, prefix: folder.slice(-6), tls: false })

async function countersOf(youngMs = 0): Promise<CapCounters> {
  const counters = await createValkeyCounters({ settings: settingsOf(), youngMs, report: () => {} })
  opened.push(counters)
  const probe = { tenantId: 'probe', viewer: 'probe' }
  await expect
    .poll(() =>
      counters.forget(probe).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
  return counters
}

function line(lineId: string, terms: Partial<LineTerms>): ServableLine {
  const content = { kind: 'image', url: 'https://cdn.example/a.png', alt: '' } as const
  const size = { width: 300, height: 250 }
  return {
    ...{ tenantId: 't', lineId },
    terms: {
      ...{ name: lineId, priority: 'standard', places: ['home'], pricing: { model: 'cpm', currency: 'USD' } },
      ...{ startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z', rateMicros: 1_000_000, units: 1_000_000 },
      ...{ pacing: 'asap', timeZone: 'UTC' },
      ...terms,
    },
    creatives: [
      { creativeId: 'c', weight: 1, terms: { name: 'c', content, size, clickUrl: 'https://shop.example/', trackers: [] } },
    ],
  }
}

const capOf = (most: number, windowMs: number | null = HOUR) => ({ caps: [{ most, windowMs }] })
const capped = (terms: Partial<LineTerms> = capOf(3)) => [line('capped', terms)]

function choicesOf(lines: readonly ServableLine[], counters: CapCounters, on: Store = store): CappedChoices {
  const engine = new Engine(indexed(1, lines), () => 0)
  return createCountedChoices({ store: on, tenantId: 't', engine, counters, countsWithinMs: 0 })
}

let ids = 0
/** What visitors get, one after the other or all at once: ids of lines, by decision. */
async function decide(choices: CappedChoices, viewer: string, at = NOW, slots: readonly Slot[] = [SLOT]) {
  const own = slots.map((_, index) => `d${ids + index}`)
  ids += slots.length
  const given = await choices.choose({ viewer, slots, visitor: VISITOR, ids: own, now: new Date(at) })
  return given?.map((choice, index) => choice && { lineId: choice.ready.line.lineId, decisionId: own[index] ?? '' })
}
async function shown(choices: CappedChoices, viewers: readonly string[], at = NOW): Promise<number> {
  const all = await Promise.all(viewers.map((viewer) => decide(choices, viewer, at)))
  return all.filter((given) => given?.[0]).length
}
const same = (count: number, name = 'anna') => Array<string>(count).fill(name)
const many = (count: number) => Array.from({ length: count }, (_, index) => `visitor-${index}`)
const exposures = async () => (await store.read.selectFrom('embedded_exposures').select('viewer').execute()).length

async function startClusterNode() {
  const busPort = await freePort()
  const words = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--cluster-port', String(busPort)]
  return { ...(await startValkey(words)), busPort }
}

/** The impression of a decision is counted. */
async function see(decisionId: string, at: number, lineId = 'capped'): Promise<void> {
  const event = {
    ...{ eventId: `${decisionId}.impression`, decisionId, tenantId: 't', lineId, creativeId: 'c', place: 'home' },
    ...{ kind: 'impression', isBot: false, rateMicros: 1_000_000, happenedAt: new Date(at).toISOString() },
  }
  await store.transaction((tx) => appendEmbeddedEvents(tx, [event]))
}

describe.skipIf(reason !== undefined)('frequency caps in Valkey', () => {
  it('hold for pages of three processes at the same moment, and what is shown is in the store', async () => {
    const processes = await Promise.all([1, 2, 3].map(async () => choicesOf(capped(), await countersOf())))
    const counts = await Promise.all(processes.map((each) => shown(each, [...same(40), ...many(30)])))
    // Each of the others may see three, one of each process.
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3 + 3 * 30)
    expect(await exposures()).toBe(3 + 3 * 30)
    expect(await shown(processes[0] ?? choicesOf([], await countersOf()), same(5))).toBe(0)
  })

  it('hold when the counters are lost, emptied, or come back as they were an hour ago', async () => {
    const choices = choicesOf(capped(capOf(4)), await countersOf())
    expect(await shown(choices, same(1))).toBe(1)
    valkey.ask('FLUSHALL')
    expect(await shown(choices, same(1))).toBe(1)
    await valkey.crash()
    expect(await decide(choices, 'anna')).toBeUndefined()
    await valkey.start()
    await expect.poll(() => shown(choices, same(1)), { timeout: 10_000 }).toBe(1)
    expect(await shown(choices, same(3))).toBe(1)
    expect(await exposures()).toBe(4)
  })

  it('do not trust what a server saved before it ended', async () => {
    const saving = await startValkey(['--appendonly', 'no'])
    try {
      const settings = { ...settingsOf(), servers: [saving.server] }
      const counters = await createValkeyCounters({ settings, youngMs: 0, report: () => {} })
      opened.push(counters)
      const choices = choicesOf(capped(capOf(2)), counters)
      await expect.poll(() => shown(choices, same(1))).toBe(1)
      saving.ask('SAVE')
      expect(await shown(choices, same(1))).toBe(1)
      await saving.crash()
      await saving.start()
      expect(saving.ask('DBSIZE')).toBe('1')
      await expect.poll(async () => (await decide(choices, 'boris'))?.length, { timeout: 10_000 }).toBe(1)
      expect(await shown(choices, same(3))).toBe(0)
    } finally {
      await saving.stop()
    }
  })

  it('are silent while the server is young: what was decided with the one before may still be on its way to the store', async () => {
    const choices = choicesOf(capped(), await countersOf(3_600_000))
    expect(await decide(choices, 'anna')).toBeUndefined()
    expect(await exposures()).toBe(0)
  })

  it('are silent at once, not each after a wait, while the server hangs', async () => {
    const choices = choicesOf(capped(), await countersOf())
    expect(await shown(choices, same(1))).toBe(1)
    valkey.pause()
    try {
      const began = performance.now()
      expect(await decide(choices, 'anna')).toBeUndefined()
      expect(performance.now() - began).toBeLessThan(2_000)
      for (let count = 0; count < 200; count++) expect(await decide(choices, 'anna')).toBeUndefined()
      expect(performance.now() - began).toBeLessThan(5_000)
    } finally {
      valkey.goOn()
    }
    await expect.poll(() => shown(choices, same(1)), { timeout: 10_000 }).toBe(1)
    expect(await exposures()).toBeLessThanOrEqual(3)
  })

  it('count an impression from when it was shown, and a decision that was never shown for ten minutes', async () => {
    const choices = choicesOf(capped(capOf(1, 30 * MINUTE)), await countersOf())
    const [first] = (await decide(choices, 'anna')) ?? []
    await see(first?.decisionId ?? '', NOW + 5 * MINUTE)
    expect(await shown(choices, same(1), NOW + 34 * MINUTE)).toBe(0)
    expect(await shown(choices, same(1), NOW + 36 * MINUTE)).toBe(1)
    expect(await shown(choices, same(1), NOW + 45 * MINUTE)).toBe(0)
    // The second was never shown.
    expect(await shown(choices, same(1), NOW + 47 * MINUTE)).toBe(1)
  })

  it('give back what another page took of the line meanwhile, and take no more than is left', async () => {
    const choices = choicesOf(capped({ ...capOf(3), units: 10 }), await countersOf())
    expect(await shown(choices, many(60))).toBe(10)
    expect(await exposures()).toBe(10)
  })

  it('show a visitor each of two hundred capped lines once, in one page of several slots too', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => line(`line-${index}`, capOf(1)))
    const choices = choicesOf(lines, await countersOf())
    const page = await decide(choices, 'anna', NOW, [SLOT, SLOT, SLOT])
    const seen = new Set((page ?? []).map((each) => each?.lineId))
    for (let count = 0; count < 197; count++) seen.add((await decide(choices, 'anna'))?.[0]?.lineId)
    expect(seen.size).toBe(200)
    expect(seen.has(undefined)).toBe(false)
    expect(await decide(choices, 'anna')).toEqual([undefined])
  })

  it('leave lines without a cap to the page: a line is shown on it once', async () => {
    const lines = [
      line('capped', { ...capOf(1), priority: 'guaranteed' }),
      line('free', {}),
      line('other', { priority: 'house' }),
    ]
    const choices = choicesOf(lines, await countersOf())
    const linesOf = async () => (await decide(choices, 'anna', NOW, [SLOT, SLOT, SLOT]))?.map((each) => each?.lineId)
    expect(await linesOf()).toEqual(['capped', 'free', 'other'])
    expect(await linesOf()).toEqual(['free', 'other', undefined])
  })

  it('take nothing when the store is away', async () => {
    const failing: Store = { ...store, transaction: () => Promise.reject(new Error('away')) }
    const counters = await countersOf()
    await expect(decide(choicesOf(capped(), counters, failing), 'anna')).rejects.toThrow('away')
    await expect.poll(() => shown(choicesOf(capped(), counters), same(1))).toBe(1)
    expect(await shown(choicesOf(capped(), counters), same(5))).toBe(2)
  })

  it('hold in a cluster, whose nodes each have a part of the visitors', async () => {
    const nodes = await Promise.all([startClusterNode(), startClusterNode()])
    try {
      const [first, second] = nodes
      first.ask('CLUSTER', 'ADDSLOTSRANGE', '0', '8191')
      second.ask('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383')
      first.ask('CLUSTER', 'MEET', '127.0.0.1', second.server.split(':')[1] ?? '', String(second.busPort))
      const states = () => nodes.map((node) => node.ask('CLUSTER', 'INFO').split('\r\n')[0])
      await expect.poll(states, { timeout: 30_000 }).toEqual(['cluster_state:ok', 'cluster_state:ok'])
      const settings = { ...settingsOf(), servers: [first.server], cluster: true }
      const counters = await createValkeyCounters({ settings, youngMs: 0, report: () => {} })
      opened.push(counters)
      const choices = choicesOf(capped(), counters)
      // Connections to nodes are made when they are first asked.
      let probes = 0
      const probe = () =>
        shown(
          choices,
          ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}-${probes++}`),
        )
      await expect.poll(probe, { timeout: 20_000, interval: 600 }).toBe(6)
      expect(await shown(choices, [...same(40), ...many(30)])).toBe(3 + 30)
      expect(nodes.map((node) => Number(node.ask('DBSIZE')) > 0)).toEqual([true, true])
    } finally {
      await Promise.all(nodes.map((node) => node.stop()))
    }
  }, 60_000)

  it('say what the server is', async () => {
    expect(await inspectValkey(settingsOf())).toMatchObject({
      version: expect.stringMatching(/^(valkey|redis) \d/),
      eviction: 'noeviction',
    })
  })
})

describe.skipIf(reason !== undefined)('a publisher whose frequency caps are counted in Valkey', () => {
  const CAPPED = { place: 'sports_preroll_q2', kind: 'video' }
  let publisher: AdPublisher
  beforeAll(async () => {
    if (reason !== undefined) return
    publisher = await startAdPublisher({
      flags: { 'ads.counters': 'valkey', 'ads.valkey.servers': [valkey.server], 'metrics.port': 0 },
      clock: () => new Date(),
    })
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    const cap = { max_impressions: 2, per: 'individuals' as const, window: { interval: 1, unit: 'days' as const } }
    const flight = { startsAt: at(-24 * HOUR), endsAt: at(24 * HOUR) }
    await publisher.sell('counted', 'video', { ...flight, productId: CAPPED.place, targeting: { frequency_cap: cap } })
  }, 120_000)
  afterAll(() => publisher?.stop())

  const ask = async (visitor: string) => {
    const { body } = await publisher.decide({ placements: [CAPPED], visitor_id: visitor, consent: { gdpr: false } })
    return body.placements[0]?.ad?.events
  }
  const isShown = (visitor: string) => ask(visitor).then((events) => events !== undefined)
  const readiness = async () => JSON.stringify(await (await fetch(`${publisher.origin}/readyz`)).json())
  const metrics = async () => (await fetch(`http://127.0.0.1:${publisher.server.metricsPort}/metrics`)).text()
  const LATER = { timeout: 20_000, interval: 300 }

  it('shows a visitor an ad as often as the cap says, also when the counters began anew in between', async () => {
    await expect.poll(() => isShown('other'), LATER).toBe(true)
    const first = await ask('anna')
    expect((await publisher.get(first?.impression ?? '', {})).status).toBeLessThan(400)
    await valkey.crash()
    expect(await isShown('anna')).toBe(false)
    expect(await readiness()).toContain('degraded')
    expect(JSON.stringify(await examineCapCounters(publisher.config.ads))).toMatch(/do not answer.*ECONNREFUSED/)
    await valkey.start()
    await expect.poll(() => isShown('anna'), LATER).toBe(true)
    expect(await isShown('anna')).toBe(false)
    expect(await readiness()).not.toContain('degraded')
    expect(await metrics()).toMatch(/adcp_ad_capped_decisions_total\{result="loaded"\} [1-9]/)
    expect(JSON.stringify(await examineCapCounters(publisher.config.ads))).toMatch(/"ok".*counts what visitors have had/)
  }, 120_000)

  it('forgets a visitor who is erased, in the store and in the counters', async () => {
    await expect.poll(() => isShown('berta'), LATER).toBe(true)
    expect(await isShown('berta')).toBe(true)
    expect(await isShown('berta')).toBe(false)
    const keys = valkey.ask('DBSIZE')
    const operator = operatorBeside(publisher, publisher.clock)
    const erasing = (members: object) => performAs(operator, publisher.tenant, erasePersonalData, { ...members })
    expect(await erasing({ identifier_hash: 'berta', dry_run: true })).toMatchObject({ exposures: 2 })
    expect(await isShown('berta')).toBe(false)
    expect(await erasing({ identifier_hash: 'berta' })).toMatchObject({ exposures: 2 })
    expect(Number(valkey.ask('DBSIZE'))).toBe(Number(keys) - 1)
    expect(await isShown('berta')).toBe(true)
    valkey.pause()
    try {
      await expect(erasing({ identifier_hash: 'berta' })).rejects.toThrow(/counters of frequency caps .* do not answer/)
    } finally {
      valkey.goOn()
    }
    await sleep(1_000)
  }, 120_000)
})
