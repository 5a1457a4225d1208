import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CappedChoices, createCappedChoices } from '../../../src/ad-serving/embedded/choose-capped.ts'
import { Engine } from '../../../src/ad-serving/embedded/engine.ts'
import type { LineTerms, ServableLine } from '../../../src/ad-serving/embedded/line.ts'
import { indexed } from '../../../src/ad-serving/embedded/snapshot.ts'
import type { Visitor } from '../../../src/ad-serving/embedded/visitor.ts'
import { readWords } from '../../../src/domain/keyword-match.ts'
import type { Store } from '../../../src/store/database.ts'
import { openSqlite, type SqliteStore } from '../../../src/store/sqlite/sqlite.ts'

const HOUR = 3_600_000
const NOW = new Date('2026-03-02T12:00:00Z')
const VISITOR: Visitor = {
  ...{ country: 'DE', deviceType: 'desktop', devicePlatform: 'windows', browser: 'chrome', language: 'en' },
  ...{ keyValues: new Map(), audiences: [], keywords: readWords([]), isBot: false },
}
const SLOT = { place: 'home', kind: 'display', sizes: [{ width: 300, height: 250 }] } as const

let folder: string
let store: SqliteStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'choose-capped-'))
  store = await openSqlite(join(folder, 'store.sqlite'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

function line(terms: Partial<LineTerms>): ServableLine {
  const content = { kind: 'image', url: 'https://cdn.example/a.png', alt: '' } as const
  const size = { width: 300, height: 250 }
  return {
    ...{ tenantId: 't', lineId: 'capped' },
    terms: {
      ...{ name: 'capped', priority: 'standard', places: ['home'], pricing: { model: 'cpm', currency: 'USD' } },
      ...{ startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z', rateMicros: 1_000_000, units: 1_000_000 },
      ...{ pacing: 'asap', timeZone: 'UTC', caps: [{ most: 3, windowMs: HOUR }] },
      ...terms,
    },
    creatives: [
      { creativeId: 'c', weight: 1, terms: { name: 'c', content, size, clickUrl: 'https://shop.example/', trackers: [] } },
    ],
  }
}

const lost = (): never => {
  throw new Error('lost')
}

let ids = 0
/** How many of the visitors get an ad. */
async function shown(capped: CappedChoices, viewers: readonly string[], visitor = VISITOR): Promise<number> {
  const asked = viewers.map((viewer) => {
    ids += 1
    return capped.choose({ viewer, slots: [SLOT], visitor, ids: [`d-${ids}`], now: NOW })
  })
  return (await Promise.all(asked)).filter((choices) => choices?.[0]).length
}
const same = (count: number) => Array<string>(count).fill('anna')
const many = (count: number) => Array.from({ length: count }, (_, index) => `visitor-${index}`)
const engineOf = (terms: Partial<LineTerms> = {}) => new Engine(indexed(1, [line(terms)]), () => 0)
const exposures = async () => (await store.read.selectFrom('embedded_exposures').select('viewer').execute()).length

describe('decisions with a frequency cap', () => {
  it('that are made together give a visitor no more than the cap, and all visitors theirs', async () => {
    const capped = createCappedChoices(store, 't', engineOf())
    expect(await shown(capped, [...same(150), ...many(100)])).toBe(103)
    expect(await exposures()).toBe(103)
    expect(await shown(capped, same(5))).toBe(0)
  })

  it('hold the cap for two processes that decide at the same moment', async () => {
    const both = [createCappedChoices(store, 't', engineOf()), createCappedChoices(store, 't', engineOf())]
    const counts = await Promise.all(both.map((each) => shown(each, same(20))))
    expect(counts[0] ?? 0).toBeLessThanOrEqual(3)
    expect((counts[0] ?? 0) + (counts[1] ?? 0)).toBe(3)
  })

  it('that are made together take no more than what is left of a line', async () => {
    expect(await shown(createCappedChoices(store, 't', engineOf({ units: 10 })), many(60))).toBe(10)
  })

  it('take nothing of a line when the store fails at their end', async () => {
    const failing: Store = { ...store, transaction: (work) => store.transaction((tx) => work(tx).then(lost)) }
    const engine = engineOf({ units: 10 })
    await expect(shown(createCappedChoices(failing, 't', engine), many(10))).rejects.toThrow('lost')
    expect(await exposures()).toBe(0)
    expect(await shown(createCappedChoices(store, 't', engine), many(10))).toBe(10)
  })

  it('take once of a line when their transaction runs again', async () => {
    const twice: Store = {
      ...store,
      async transaction(work, options) {
        await store.transaction((tx) => work(tx).then(lost)).catch(() => {})
        return store.transaction(work, options)
      },
    }
    expect(await shown(createCappedChoices(twice, 't', engineOf({ units: 10 })), many(20))).toBe(10)
    expect(await exposures()).toBe(10)
  })

  it('of bots take nothing of a line', async () => {
    const capped = createCappedChoices(store, 't', engineOf({ units: 10 }))
    expect(await shown(capped, many(10), { ...VISITOR, isBot: true })).toBe(10)
    expect(await shown(capped, ['carl'])).toBe(1)
  })
})
