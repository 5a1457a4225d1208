import { describe, expect, it } from 'vitest'
import type { ContentStandards } from '../../src/domain/content-standards/content-standards.ts'
import type { InventoryList, ListDocument } from '../../src/domain/inventory-list.ts'
import {
  getContentStandards,
  insertContentStandards,
  listContentStandards,
  saveContentStandards,
} from '../../src/store/content-standards/content-standards.ts'
import type { Store } from '../../src/store/database.ts'
import { deleteList, getList, insertList, listLists, saveList } from '../../src/store/inventory-list/inventory-lists.ts'
import { findListByToken, hashListToken, newListToken } from '../../src/store/inventory-list/list-tokens.ts'

const owner = { tenantId: 'acme', principalId: 'buyer' }
const reach = { ...owner, accountId: undefined }
const now = new Date('2026-03-01T12:00:00Z')
const at = now.toISOString()

const listOf = (listId: string, change: Partial<InventoryList<ListDocument>> = {}): InventoryList<ListDocument> => ({
  kind: 'property',
  listId,
  principalId: owner.principalId,
  accountId: 'acc',
  document: { name: `Näme ${listId} 50%_\\` },
  memberCount: 3,
  revision: 1,
  createdAt: at,
  updatedAt: at,
  ...change,
})

/** What every storage engine must do for lists and content standards. Needs tenant `acme` with principal `buyer`. */
export function listsContract(open: () => Store): void {
  const insert = async (list: InventoryList<ListDocument>) => {
    const token = newListToken(list.kind)
    await open().transaction((tx) => insertList(tx, owner.tenantId, list, hashListToken(token)))
    return token
  }

  describe('inventory lists', () => {
    it('reads back what was written, within reach only', async () => {
      await insert(listOf('pl_a'))
      expect(await getList(open().read, reach, 'property', 'pl_a')).toEqual(listOf('pl_a'))
      const beyond = [
        { ...reach, principalId: 'other' },
        { ...reach, tenantId: 'other' },
        { ...reach, accountId: 'other' },
        { ...reach, confinedTo: 'pl_b' },
      ]
      for (const each of beyond) {
        await expect(getList(open().read, each, 'property', 'pl_a')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
      }
      await expect(getList(open().read, reach, 'collection', 'pl_a')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    })

    it('saves by compare-and-set', async () => {
      await insert(listOf('pl_cas'))
      const change = () => open().transaction((tx) => saveList(tx, owner.tenantId, listOf('pl_cas', { memberCount: 9 }), now))
      expect(await change()).toMatchObject({ revision: 2, memberCount: 9 })
      await expect(change()).rejects.toMatchObject({ code: 'CONFLICT' })
    })

    it('finds a list by its token until it is deleted', async () => {
      const token = await insert(listOf('pl_token'))
      expect(await findListByToken(open().read, token)).toEqual({ tenantId: 'acme', listId: 'pl_token' })
      await open().transaction((tx) => deleteList(tx, owner.tenantId, listOf('pl_token')))
      expect(await findListByToken(open().read, token)).toBeUndefined()
    })

    it('pages in order of creation and takes wildcards for letters', async () => {
      const ids = ['cl_1', 'cl_2', 'cl_3']
      for (const id of ids) await insert(listOf(id, { kind: 'collection' }))
      const page = (after: string | undefined, nameContains?: string) =>
        listLists(open().read, reach, 'collection', { nameContains }, { after, limit: 2 })
      const first = await page(undefined)
      const second = await page(first.after)
      expect([...first.lists, ...second.lists].map(({ listId }) => listId)).toEqual(ids)
      expect([first.total, second.total, second.after]).toEqual([3, 3, undefined])
      expect((await page(undefined, 'NÄME CL_2')).total).toBe(1)
      expect((await page(undefined, '50%_\\')).total).toBe(3)
      expect((await page(undefined, 'n_me')).total).toBe(0)
    })
  })

  describe('content standards', () => {
    const standards = (standardsId: string, version: number, languages: string[]): ContentStandards => ({
      standardsId,
      version,
      document: { scope: { languages_any: languages }, policies: [], exemplars: {} },
      createdAt: at,
      updatedAt: at,
    })
    const save = (next: ContentStandards) => open().transaction((tx) => saveContentStandards(tx, owner, next))

    it('keeps versions, filters by the one in force, and lets one of two writers win', async () => {
      await open().transaction((tx) => insertContentStandards(tx, owner, standards('cs_a', 1, ['en', 'EN'])))
      await save(standards('cs_a', 2, ['de']))
      await expect(save(standards('cs_a', 2, ['fr']))).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await getContentStandards(open().read, owner, 'cs_a')).toEqual(standards('cs_a', 2, ['de']))
      const found = async (language: string) =>
        (await listContentStandards(open().read, owner, { languages: [language] }, { after: undefined, limit: 5 })).total
      expect([await found('en'), await found('DE')]).toEqual([0, 1])
      const other = { ...owner, principalId: 'other' }
      await expect(getContentStandards(open().read, other, 'cs_a')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    })
  })
}
