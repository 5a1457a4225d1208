import { describe, expect, it, vi } from 'vitest'
import type { Creative } from '../../src/domain/creative/creative.ts'
import type { ActingPrincipal } from '../../src/domain/identity/principal.ts'
import { addAssignment, replaceAssignments } from '../../src/store/creative/change-assignments.ts'
import { assignmentsOf, endServing, listAssignedMediaBuys } from '../../src/store/creative/creative-assignments.ts'
import type { CreativeQuery } from '../../src/store/creative/creative-query.ts'
import {
  deleteCreative,
  findCreative,
  findCreatives,
  insertCreative,
  listOtherCreatives,
  saveCreative,
} from '../../src/store/creative/creatives.ts'
import { type CreativeSortField, countCreatives, listCreatives } from '../../src/store/creative/list-creatives.ts'
import { createPreviews, findPreview } from '../../src/store/creative/previews.ts'
import { listWaitingFor } from '../../src/store/creative/unseen-creatives.ts'
import type { Store } from '../../src/store/database.ts'
import { insertMediaBuy } from '../../src/store/media-buy/media-buys.ts'
import { FORMAT, NOW, plan } from '../support/media-buy-fixtures.ts'

const agent: ActingPrincipal = { tenantId: 'acme', principalId: 'buyer', sandbox: false }
const at = (minute: number) => new Date(NOW.getTime() + minute * 60_000)

function creativeOf(creativeId: string, change: Partial<Creative> = {}, content: Partial<Creative['content']> = {}): Creative {
  return {
    creativeId,
    accountId: 'lib',
    content: { name: creativeId, formatId: FORMAT, assets: {}, tags: [], ...content },
    status: 'approved',
    approvedAt: NOW.toISOString(),
    createdAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
    revision: 1,
    ...change,
  }
}

/** What every storage engine must do for creatives. Needs tenant `acme`. */
export function creativeContract(open: () => Store): void {
  const insert = (creative: Creative) => open().transaction((tx) => insertCreative(tx, agent, creative))
  const query = (change: Partial<CreativeQuery> = {}): CreativeQuery => ({ accountIds: ['lib'], now: NOW, ...change })
  const ids = async (change: Partial<CreativeQuery> = {}, whose = agent) =>
    (
      await listCreatives(open().read, whose, query(change), { field: 'name', direction: 'asc' }, { after: undefined, limit: 99 })
    ).listed.map(({ creative }) => creative.creativeId)

  describe('creatives', () => {
    it('reads back what was written, in its account and to its agent only', async () => {
      const creative = creativeOf('ä-1', {}, { name: 'Ünïcode 100%_\\', tags: ['red', 'wide'], conceptId: 'spring' })
      await insert(creative)
      await expect(insert(creative)).rejects.toMatchObject({ code: 'CONFLICT' })
      expect((await findCreatives(open().read, agent, 'lib', ['ä-1', 'none'])).get('ä-1')).toEqual(creative)
      expect((await findCreatives(open().read, agent, 'else', ['ä-1'])).size).toBe(0)
      expect((await findCreatives(open().read, { ...agent, principalId: 'other' }, 'lib', ['ä-1'])).size).toBe(0)
      const reach = { tenantId: 'acme', principalId: 'buyer', accountId: 'else' }
      expect(await findCreative(open().read, reach, 'ä-1')).toBeUndefined()
      expect(await findCreative(open().read, { ...reach, accountId: undefined }, 'ä-1')).toEqual(creative)
    })

    it('saves by compare-and-set', async () => {
      const changed = (name: string) => creativeOf('ä-1', {}, { name, tags: ['blue'], conceptId: 'spring' })
      const save = (creative: Creative) => open().transaction((tx) => saveCreative(tx, agent, creative))
      await save(changed('First'))
      await expect(save(changed('Second'))).rejects.toMatchObject({ code: 'CONFLICT' })
      expect((await findCreatives(open().read, agent, 'lib', ['ä-1'])).get('ä-1')).toMatchObject({
        revision: 2,
        content: { name: 'First' },
      })
      expect(await ids({ anyTag: ['red'] })).toEqual([])
      expect(await ids({ anyTag: ['blue'] })).toEqual(['ä-1'])
    })

    it('lists what waits in review by turns of its buyers, without what waits for its next attempt', async () => {
      const waits = (principalId: string, id: string, minute: number, statusReason = 'looked at later') =>
        open().transaction((tx) => {
          const updatedAt = at(minute).toISOString()
          const creative = creativeOf(id, { status: 'pending_review', statusReason, updatedAt })
          return insertCreative(tx, { ...agent, principalId }, creative)
        })
      for (const [index, id] of ['m1', 'm2', 'm3'].entries()) await waits('many', id, index - 9)
      await waits('few', 'f1', 5)
      await waits('few', 'f2', 6)
      await waits('few', 'tried', -1, 'looked at later (attempt 1 of 5: late)')
      await waits('few', 'tried-long-ago', -3, 'looked at later (attempt 1 of 5: late)')
      const except = [{ reason: 'looked at later (attempt 1 of', since: at(-2).toISOString() }]
      const listed = async (limit: number) =>
        (await listWaitingFor(open().read, { reason: 'looked at later', except }, limit)).map(
          ({ creative }) => creative.creativeId,
        )
      expect(await listed(9)).toEqual(['m1', 'tried-long-ago', 'm2', 'f1', 'm3', 'f2'])
      expect(await listed(2)).toEqual(['m1', 'tried-long-ago'])
    })

    it('filters in the query', async () => {
      await insert(
        creativeOf(
          'b',
          { createdAt: at(5).toISOString(), updatedAt: at(6).toISOString() },
          { name: 'BÄNNER 50%', tags: ['red', 'wide'] },
        ),
      )
      await insert(creativeOf('c', { status: 'rejected' }, { formatId: { ...FORMAT, id: 'tmpl', width: 300, height: 250 } }))
      await insert(creativeOf('d', { status: 'archived' }))
      await insert(creativeOf('e', { accountId: '' }))
      await insert(creativeOf('f', { accountId: 'else' }))
      expect(await ids()).toEqual(['b', 'c', 'e', 'ä-1'].sort((x, y) => (nameOf(x) < nameOf(y) ? -1 : 1)))
      expect(await ids({ accountIds: [] })).toEqual(['e'])
      expect((await ids({ accountIds: undefined })).includes('f')).toBe(true)
      expect(await ids({ statuses: ['archived'] })).toEqual(['d'])
      expect(await ids({ nameContains: 'bänner 50%' })).toEqual(['b'])
      expect(await ids({ nameContains: 'b%r' })).toEqual([])
      expect(await ids({ allTags: ['red', 'wide'] })).toEqual(['b'])
      expect(await ids({ allTags: ['red', 'blue'] })).toEqual([])
      expect(await ids({ createdAfter: NOW.toISOString() })).toEqual(['b'])
      expect(await ids({ updatedBefore: at(6).toISOString(), creativeIds: ['b', 'c'] })).toEqual(['c'])
      expect(await ids({ creativeIds: [] })).toEqual([])
      expect(await ids({ exceptIds: ['b', 'e', 'ä-1'] })).toEqual(['c'])
      expect(await ids({ formatIds: [{ ...FORMAT, agent_url: `${FORMAT.agent_url}/`, id: 'tmpl' }] })).toEqual(['c'])
      expect(await ids({ formatIds: [{ ...FORMAT, id: 'tmpl', width: 728, height: 90 }] })).toEqual([])
      expect(await ids({ formatIds: [{ ...FORMAT, id: 'tmpl', width: 300, height: 250 }] })).toEqual(['c'])
      expect(await ids({}, { ...agent, principalId: 'other' })).toEqual([])
    })

    it('walks pages in every order without loss or repetition', async () => {
      const fields: CreativeSortField[] = ['created_date', 'updated_date', 'name', 'status', 'assignment_count']
      for (const field of fields) {
        for (const direction of ['asc', 'desc'] as const) {
          const list = (after: Parameters<typeof listCreatives>[4]['after'], limit: number) =>
            listCreatives(open().read, agent, query({ accountIds: undefined }), { field, direction }, { after, limit })
          const whole = (await list(undefined, 99)).listed.map(({ position }) => position)
          const walked: typeof whole = []
          for (let isCut = true; isCut; ) {
            const page = await list(walked.at(-1), 2)
            walked.push(...page.listed.map(({ position }) => position))
            isCut = page.isCut
          }
          expect(walked, `${field} ${direction}`).toEqual(whole)
        }
      }
    })

    it('counts by status and format', async () => {
      const counts = await countCreatives(open().read, agent, query())
      expect(counts.total).toBe(4)
      expect([...counts.byStatus].sort()).toEqual([
        ['approved', 3],
        ['rejected', 1],
      ])
      expect([...counts.byFormat].sort()).toEqual([
        ['display_300x250', 3],
        ['tmpl', 1],
      ])
    })

    it('removes, and lists what a sync left out', async () => {
      expect((await listOtherCreatives(open().read, agent, 'lib', ['b'])).map((each) => each.creativeId).sort()).toEqual([
        'c',
        'ä-1',
      ])
      await open().transaction((tx) => deleteCreative(tx, agent, creativeOf('b')))
      expect(await ids({ allTags: ['wide'] })).toEqual([])
    })
  })

  describe('creative assignments', () => {
    const buy = { ...plan(), mediaBuyId: 'mb_creatives', accountId: 'lib' }
    const packageId = 'mb_creatives-1'
    const facts = async (whose = agent) => (await assignmentsOf(open().read, whose, [packageId])).get(packageId)
    const write = (work: (tx: Parameters<Parameters<Store['transaction']>[0]>[0]) => Promise<void>) => open().transaction(work)

    it('wait for their creative, keep their order, and are replaced as a whole', async () => {
      const packages = buy.packages.map((pkg) => ({ ...pkg, packageId }))
      await write((tx) => insertMediaBuy(tx, agent, { ...buy, packages }))
      await write((tx) =>
        replaceAssignments(
          tx,
          agent,
          packageId,
          [
            { creativeId: 'late', weight: 60.5 },
            { creativeId: 'c', placementIds: ['top'] },
          ],
          at(10),
        ),
      )
      expect(await facts()).toEqual([
        { creativeId: 'late', weight: 60.5 },
        {
          creativeId: 'c',
          placementIds: ['top'],
          approval: 'rejected',
          offline: { to: 'rejected', since: expect.any(String) },
          formatId: expect.objectContaining({ id: 'tmpl' }),
        },
      ])
      await insert(creativeOf('late', { approvedAt: at(20).toISOString() }))
      expect((await facts())?.[0]).toMatchObject({ approval: 'approved', servesFrom: at(20).toISOString() })
      await write((tx) => addAssignment(tx, agent, packageId, { creativeId: 'ä-1', weight: 1 }, at(30)))
      await write((tx) => addAssignment(tx, agent, packageId, { creativeId: 'late' }, at(40)))
      expect((await facts())?.map((fact) => [fact.creativeId, fact.weight, fact.servesFrom])).toEqual([
        ['late', undefined, at(20).toISOString()],
        ['c', undefined, undefined],
        ['ä-1', 1, at(30).toISOString()],
      ])
      expect(await listAssignedMediaBuys(open().read, agent)).toEqual(['mb_creatives'])
      expect(await facts({ ...agent, principalId: 'other' })).toBeUndefined()
    })

    it('mean the creative of the buying account; with conformance, of any', async () => {
      await insert(creativeOf('far', { accountId: 'else' }))
      await write((tx) => addAssignment(tx, agent, packageId, { creativeId: 'far' }, at(30)))
      const far = async (conformance: boolean) =>
        (await facts({ ...agent, conformance }))?.find((fact) => fact.creativeId === 'far')
      expect(await far(false)).toEqual({ creativeId: 'far' })
      expect(await far(true)).toMatchObject({ approval: 'approved' })
    })

    it('keep the stretch that a creative served when it ends', async () => {
      const [creative] = [...(await findCreatives(open().read, agent, 'lib', ['late'])).values()]
      await write((tx) => endServing(tx, agent, creative!, at(60)))
      await write((tx) => deleteCreative(tx, agent, creative!))
      expect((await facts())?.[0]).toEqual({
        creativeId: 'late',
        served: [{ from: at(20).toISOString(), until: at(60).toISOString() }],
      })
    })

    it('filter and count while the buy runs', async () => {
      const during = { now: at(60) }
      expect(await ids({ ...during, unassigned: false })).toEqual(['c', 'ä-1'].sort((x, y) => (nameOf(x) < nameOf(y) ? -1 : 1)))
      expect(await ids({ ...during, unassigned: true })).toEqual(['e'])
      expect(await ids({ ...during, mediaBuyIds: ['mb_creatives'], creativeIds: ['c', 'e'] })).toEqual(['c'])
      expect(await ids({ ...during, packageIds: [packageId, 'x'], creativeIds: ['e'] })).toEqual([])
      expect(await ids({ unassigned: false, now: new Date('2027-01-01T00:00:00.000Z') })).toEqual([])
    })
  })

  describe('previews', () => {
    it('are written in many transactions where they are thousands', async () => {
      const store = open()
      const transactions = vi.spyOn(store, 'transaction')
      const pages = Array.from({ length: 10_000 }, (_, index) => ({ html: `<p>${index}</p>`, scripts: false }))
      const addresses = await createPreviews(store, 'https://ads.example').publish('acme', pages, NOW, at(1))
      expect(transactions.mock.calls.length).toBeGreaterThan(15)
      transactions.mockRestore()
      expect(new Set(addresses).size).toBe(10_000)
      const id = addresses[9_999]?.split('/').at(-1) ?? ''
      expect(await findPreview(store.read, id, NOW)).toEqual({ html: '<p>9999</p>', scripts: false })
    })

    it('are found by their address until they expire', async () => {
      const previews = createPreviews(open(), 'https://ads.example')
      const [address = ''] = await previews.publish('acme', [{ html: '<p>ä</p>', scripts: true }], NOW, at(1))
      const id = new URL(address).pathname.replace('/previews/', '')
      expect(await findPreview(open().read, id, NOW)).toEqual({ html: '<p>ä</p>', scripts: true })
      expect(await findPreview(open().read, id, at(1))).toBeUndefined()
      expect(await findPreview(open().read, `${id}x`, NOW)).toBeUndefined()
    })
  })
}

const nameOf = (id: string) => (id === 'ä-1' ? 'first' : id)
