import { describe, expect, it } from 'vitest'
import type { Audience } from '../../src/domain/audience/audience.ts'
import type { Catalog, CatalogItem } from '../../src/domain/catalog/catalog.ts'
import type { Conversion, EventSource, StoredEvent } from '../../src/domain/event/event.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { addMembers, type Member, removeMembers, sizesOf } from '../../src/store/audience/audience-members.ts'
import { findAudiences, insertAudience, saveAudience } from '../../src/store/audience/audiences.ts'
import { findContentIds, listCatalogItems, listFlaggedItems, replaceItems } from '../../src/store/catalog/catalog-items.ts'
import {
  deleteCatalog,
  dueFeeds,
  findAllCatalogs,
  findCatalogs,
  insertCatalog,
  listCatalogIds,
  saveCatalog,
} from '../../src/store/catalog/catalogs.ts'
import type { Store } from '../../src/store/database.ts'
import { sumContents, sumConversions } from '../../src/store/event/conversion-sums.ts'
import { insertConversions } from '../../src/store/event/conversions.ts'
import { activityOf, findEventSources, insertEventSource } from '../../src/store/event/event-sources.ts'
import { insertEvents } from '../../src/store/event/events.ts'
import { erase } from '../../src/store/privacy/personal-data.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const reach = { ...owner, accountId: undefined }
const now = new Date('2026-03-01T12:00:00Z')
const at = now.toISOString()
const beyond = [
  { ...reach, principalId: 'other' },
  { ...reach, tenantId: 'other' },
  { ...reach, accountId: 'other' },
]

const catalogOf = (catalogId: string, change: Partial<Catalog> = {}): Catalog => ({
  catalogId,
  accountId: 'acc',
  platformId: `cat_${catalogId}`,
  document: { type: 'product', name: catalogId },
  itemsDigest: 'd',
  itemCount: 2,
  pendingCount: 0,
  rejectedCount: 1,
  lastSyncedAt: at,
  createdAt: at,
  revision: 1,
  ...change,
})
const item = (itemId: string, change: Partial<CatalogItem> = {}): CatalogItem => ({
  itemId,
  contentId: `sku-${itemId}`,
  status: 'approved',
  reasons: [],
  document: { item_id: itemId, title: 'Tëa' },
  ...change,
})
const member = (name: string, kinds: Record<string, boolean>): Member => ({
  member: name,
  identifiers: Object.entries(kinds).map(([kind, matched]) => ({ kind, pseudonym: `${kind}-${name}`, matched })),
})
const eventOf = (eventKey: string, change: Partial<StoredEvent> = {}): StoredEvent => ({
  eventType: 'purchase',
  eventKey,
  eventTime: at,
  identifiers: [`person-${eventKey}`, `person-${eventKey}`],
  matched: true,
  document: { contentIds: [] },
  ...change,
})

/** What every storage engine must do for audiences, catalogs and events. Needs tenant `acme` with principal `buyer`. */
export function buyerDataContract(open: () => Store): void {
  describe('catalogs', () => {
    it('keep items in order, within reach, by compare-and-set', async () => {
      const catalog = catalogOf('shop', { feed: { failures: 0, nextFetchAt: at } })
      const items = [
        item('b'),
        item('a', { status: 'warning', reasons: ['poor'] }),
        item('x', { status: 'rejected', reasons: ['no'] }),
      ]
      await open().transaction(async (tx) => {
        await insertCatalog(tx, owner, catalog)
        await replaceItems(tx, owner, catalog.platformId, items)
      })
      const { read } = open()
      expect(await findCatalogs(read, reach, ['shop'])).toEqual([catalog])
      expect(await listCatalogItems(read, reach, 'shop', { limit: 9 })).toEqual(items.slice(0, 2))
      expect(await listCatalogItems(read, reach, 'shop', { ids: ['sku-a', 'x'], limit: 9 })).toEqual([items[1]])
      expect(await listFlaggedItems(read, 'acme', catalog.platformId, 9)).toEqual(
        items.slice(1).map(({ itemId, status, reasons }) => ({ itemId, status, reasons })),
      )
      expect(await findContentIds(read, 'acme', [catalog.platformId], ['sku-a', 'none'])).toEqual(
        new Map([[catalog.platformId, new Set(['sku-a'])]]),
      )
      for (const each of beyond) {
        expect(await findCatalogs(read, each, ['shop'])).toEqual([])
        await expect(listCatalogItems(read, each, 'shop', { limit: 9 })).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
      }
      const save = () => open().transaction((tx) => saveCatalog(tx, owner, catalog))
      await save()
      await expect(save()).rejects.toMatchObject({ code: 'CONFLICT' })
      await expect(open().transaction((tx) => insertCatalog(tx, owner, catalog))).rejects.toMatchObject({ code: 'CONFLICT' })
      expect((await dueFeeds(read, now, 9)).map((due) => due.catalog.catalogId)).toContain('shop')
      await open().transaction((tx) => deleteCatalog(tx, owner, catalog.platformId))
      expect(await listFlaggedItems(read, 'acme', catalog.platformId, 9)).toEqual([])
    })

    it('are read in parts, and deleted with more items than one statement takes', async () => {
      const { read, transaction } = open()
      // Two of them have more than one read takes.
      const document = { type: 'product' as const, name: 'x'.repeat(600_000) }
      const catalogs = ['one', 'three', 'two'].map((id) => catalogOf(id, { document }))
      const items = Array.from({ length: 1_500 }, (_, n) => item(`${n}`, { status: 'warning' }))
      await transaction(async (tx) => {
        for (const catalog of catalogs) await insertCatalog(tx, owner, catalog)
        for (const id of ['cat_one', 'cat_two']) await replaceItems(tx, owner, id, items)
      })
      expect(await findAllCatalogs(read, reach)).toEqual(catalogs)
      expect(await listCatalogIds(read, reach)).toEqual(catalogs.map(({ catalogId, platformId }) => ({ catalogId, platformId })))
      for (const each of beyond) expect([await findAllCatalogs(read, each), await listCatalogIds(read, each)]).toEqual([[], []])
      const counted = async (id: string) => (await listFlaggedItems(read, 'acme', id, 9_999)).length
      await transaction((tx) => deleteCatalog(tx, owner, 'cat_one'))
      expect([await counted('cat_one'), await counted('cat_two')]).toEqual([0, items.length])
      for (const id of ['cat_two', 'cat_three']) await transaction((tx) => deleteCatalog(tx, owner, id))
      expect(await listCatalogIds(read, reach)).toEqual([])
    })
  })

  describe('audiences', () => {
    const audience: Audience = {
      audienceId: 'vip',
      accountId: 'acc',
      sellerId: 'aud_1',
      document: { name: 'Vïp' },
      lastSyncedAt: at,
      createdAt: at,
      revision: 1,
    }
    const size = async () => (await sizesOf(open().read, 'acme', ['aud_1'])).get('aud_1')

    it('count people once, by kind, and let them go by id or identifier', async () => {
      await open().transaction((tx) => insertAudience(tx, owner, audience))
      const add = (members: Member[]) => open().transaction((tx) => addMembers(tx, owner, 'aud_1', members, now))
      expect(await add([member('a', { hashed_email: true }), member('b', { hashed_email: false, uid2: false })])).toBe(true)
      expect(await add([member('a', { hashed_email: true })])).toBe(false)
      expect(await add([member('b', { uid2: true })])).toBe(false)
      expect(await add([member('b', { maid: true }), member('c', { maid: false })])).toBe(true)
      expect(await size()).toEqual({
        members: 3,
        matched: 2,
        byKind: [
          { kind: 'hashed_email', submitted: 2, matched: 1 },
          { kind: 'maid', submitted: 2, matched: 1 },
          { kind: 'uid2', submitted: 1, matched: 0 },
        ],
      })
      const gone: Member = { member: 'nobody', identifiers: [{ kind: 'maid', pseudonym: 'maid-b', matched: false }] }
      expect(await open().transaction((tx) => removeMembers(tx, owner, 'aud_1', [gone, member('c', {})]))).toBe(2)
      expect(await size()).toMatchObject({ members: 1, matched: 1 })
    })

    it('are found within reach and saved by compare-and-set', async () => {
      expect(await findAudiences(open().read, reach, ['vip'])).toEqual([audience])
      for (const each of beyond) expect(await findAudiences(open().read, each, ['vip'])).toEqual([])
      const save = () => open().transaction((tx) => saveAudience(tx, owner, audience))
      await save()
      await expect(save()).rejects.toMatchObject({ code: 'CONFLICT' })
    })
  })

  describe('events', () => {
    const source: EventSource = {
      eventSourceId: 'web',
      accountId: 'acc',
      sellerId: 'evs_1',
      document: {},
      createdAt: at,
      updatedAt: at,
      revision: 1,
    }
    const insert = (events: StoredEvent[], testCode = '') =>
      open().transaction((tx) => insertEvents(tx, { tenantId: 'acme', sellerId: 'evs_1', testCode }, events, now))

    it('are kept once by source, type and id; test events apart', async () => {
      await open().transaction((tx) => insertEventSource(tx, owner, source))
      const [one, twin, lead] = [eventOf('1'), eventOf('1'), eventOf('1', { eventType: 'lead' })]
      expect(await insert([one, twin, lead])).toEqual([one, lead])
      expect(await insert([eventOf('1'), eventOf('2', { matched: false })])).toEqual([eventOf('2', { matched: false })])
      expect(await insert([one], 'T1')).toEqual([one])
      expect(await activityOf(open().read, 'acme', ['evs_1'], now)).toEqual(
        new Map([['evs_1', { receivedInDay: 3, matchedInDay: 2, lastEventAt: at }]]),
      )
      for (const each of beyond) expect(await findEventSources(open().read, each, ['web'])).toEqual([])
    })

    it('become conversions, once a package', async () => {
      const conversion: Conversion = {
        mediaBuyId: 'mb_1',
        packageId: 'p_1',
        eventType: 'purchase',
        eventKey: '1',
        eventSourceId: 'web',
        day: '2026-03-01',
        valueMicros: 9_000_000_000_000,
        contentIds: ['a'],
      }
      const { valueMicros: _none, ...worthless } = { ...conversion, eventKey: '2' }
      await open().transaction((tx) => insertConversions(tx, 'acme', [conversion, worthless]))
      await open().transaction((tx) => insertConversions(tx, 'acme', [{ ...conversion, eventSourceId: 'app' }]))
      const purchases = { eventType: 'purchase', eventSourceId: 'web', count: 2, valueMicros: 9_000_000_000_000 }
      const counted = { ...NOTHING, conversions: 2, conversionValueMicros: 9_000_000_000_000 }
      expect(await sumConversions(open().read, 'acme', 'mb_1')).toEqual({
        lines: [{ packageId: 'p_1', days: [{ ...counted, day: '2026-03-01' }] }],
        types: new Map([['p_1', [purchases]]]),
      })
      expect(await sumConversions(open().read, 'other', 'mb_1')).toEqual({ lines: [], types: new Map() })
    })

    it('are summed part by part: as if they were read one by one, whatever their values', async () => {
      const days = ['2026-03-01', '2026-03-02', '2026-03-03']
      const conversions = Array.from(
        { length: 12_345 },
        (_, index): Conversion => ({
          mediaBuyId: 'mb_many',
          packageId: `p_${index % 7}`,
          eventType: index % 5 === 0 ? 'lead' : 'purchase',
          eventKey: `event ${index}`,
          eventSourceId: index % 3 === 0 ? 'web' : 'app',
          day: days[(index % 11) % 3] ?? '',
          ...(index % 4 > 0 && { valueMicros: index === 1 ? 8_000_000_000_000_000 : index * 1_000 + 1 }),
          contentIds: [`item ${index % 6}`, 'each'],
        }),
      )
      await open().transaction((tx) => insertConversions(tx, 'acme', conversions))
      const range = { first: '2026-03-02', last: '2026-03-02' }
      const { lines, types } = await sumConversions(open().read, 'acme', 'mb_many', range)
      const worth = (those: readonly Conversion[]) => those.reduce((sum, { valueMicros = 0 }) => sum + valueMicros, 0)
      for (const { packageId, days } of lines)
        for (const { day, conversions: count, conversionValueMicros } of days) {
          const own = conversions.filter((each) => each.packageId === packageId && each.day === day)
          expect([count, conversionValueMicros]).toEqual([own.length, worth(own)])
        }
      expect(lines.flatMap((line) => line.days).reduce((sum, day) => sum + day.conversions, 0)).toBe(conversions.length)
      const inRange = conversions.filter(({ day }) => day === range.first)
      for (const [packageId, sums] of types)
        for (const { eventType, eventSourceId, count, valueMicros } of sums) {
          const own = inRange.filter(
            (each) => each.packageId === packageId && each.eventType === eventType && each.eventSourceId === eventSourceId,
          )
          expect([count, valueMicros]).toEqual([own.length, worth(own)])
        }
      expect([...types.values()].flat().reduce((sum, { count }) => sum + count, 0)).toBe(inRange.length)
      const key = { mediaBuyId: 'mb_many', packageId: 'p_3' }
      const about = await sumContents(open().read, 'acme', key, new Set(['item 2', 'each', 'nothing']), range)
      const ofPackage = inRange.filter(({ packageId }) => packageId === 'p_3')
      const ofItem = ofPackage.filter(({ contentIds }) => contentIds.includes('item 2'))
      expect(about).toEqual(
        new Map([
          ['each', { conversions: ofPackage.length, valueMicros: worth(ofPackage) }],
          ['item 2', { conversions: ofItem.length, valueMicros: worth(ofItem) }],
        ]),
      )
    })
  })

  it('erases people, and a dry run takes it back', async () => {
    const order = { tenantId: 'acme', pseudonyms: ['hashed_email-a', 'person-1'] }
    expect(await erase(open(), order, true)).toEqual({ audiences: 0, members: 1, events: 3, exposures: 0 })
    expect(await erase(open(), { ...order, tenantId: 'other' }, false)).toEqual({
      audiences: 0,
      members: 0,
      events: 0,
      exposures: 0,
    })
    expect(await erase(open(), order, false)).toEqual({ audiences: 0, members: 1, events: 3, exposures: 0 })
    expect(await erase(open(), order, false)).toEqual({ audiences: 0, members: 0, events: 0, exposures: 0 })
    const named = { tenantId: 'acme', audience: { audienceId: 'vip' }, before: new Date('2999-01-01T00:00:00Z') }
    expect(await erase(open(), named, false)).toEqual({ audiences: 1, members: 0, events: 1, exposures: 0 })
  })
}
