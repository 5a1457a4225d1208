import { describe, expect, it } from 'vitest'
import type { ActingPrincipal } from '../../src/domain/identity/principal.ts'
import { readBrief } from '../../src/domain/product/brief.ts'
import { rankProducts } from '../../src/domain/product/rank-products.ts'
import { seededProduct, suiteProduct } from '../../src/domain/product/seed-product.ts'
import type { Store } from '../../src/store/database.ts'
import { findTenant } from '../../src/store/identity/tenants.ts'
import { createProductCache } from '../../src/store/product/product-cache.ts'
import { changedProducts, loadStoredProducts } from '../../src/store/product/products.ts'
import { findProposal, saveProposal, sweepProposals } from '../../src/store/product/proposals.ts'
import { saveProducts } from '../../src/store/product/save-products.ts'
import { seedFormat, seedProduct } from '../../src/store/product/seeded-products.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const owner = { tenantId: 'acme', principalId: 'buyer' }
const product = (id: string, name = id) => ({ ...seededProduct(id, { name }, { channels: new Set(), isOfficial: () => true }) })
const fileOf = (...products: ReturnType<typeof product>[]) => ({ version: 1 as const, products })

/** What every storage engine must do for products and proposals. Needs tenant `acme`. */
export function productsContract(open: () => Store): void {
  const save = (document: Parameters<typeof saveProducts>[2], merge = false) =>
    open().transaction((tx) => saveProducts(tx, 'acme', document, { merge }, NOW))
  const tenant = async () => (await findTenant(open().read, 'acme'))!

  describe('products', () => {
    it('keeps the order of the file, and what was removed for running buys', async () => {
      await save({
        ...fileOf(product('b'), product('a'), product('c')),
        publisher: { name: 'Ä "x"', domain: 'a.example' },
        plans: [],
      })
      await save(fileOf(product('c'), product('b', 'renamed')))
      const stored = await loadStoredProducts(open().read, 'acme')
      expect(stored.products.map((p) => [p.product_id, p.name])).toEqual([
        ['c', 'c'],
        ['b', 'renamed'],
      ])
      expect(stored.removed.map((p) => p.product_id)).toEqual(['a'])
      expect(stored.publisher).toEqual({ name: 'Ä "x"', domain: 'a.example' })
    })

    it('merges on request, and takes a removed product back', async () => {
      await save(fileOf(product('a', 'back')), true)
      expect((await loadStoredProducts(open().read, 'acme')).products.map((p) => p.product_id).toSorted()).toEqual([
        'a',
        'b',
        'c',
      ])
      expect((await loadStoredProducts(open().read, 'acme')).removed).toEqual([])
    })

    it('is another tenant’s for nobody', async () => {
      expect((await loadStoredProducts(open().read, 'other')).products).toEqual([])
    })

    it('gets a new revision with every change, which the cache follows', async () => {
      const cache = createProductCache('https://a.example/mcp')
      const before = await cache.get(open().read, await tenant(), undefined)
      expect(await cache.get(open().read, await tenant(), undefined)).toBe(before)
      await save(fileOf(product('z')))
      const after = await cache.get(open().read, await tenant(), undefined)
      expect(after.revision).toBeGreaterThan(before.revision)
      expect(after.products.map((p) => p.id)).toEqual(['z'])
      expect(after.byId.get('b')?.selling.status).toBe('archived')
    })

    it('reads many products in the order of their file, and follows the change of one product without the others', async () => {
      const many = Array.from({ length: 150 }, (_empty, n) => product(`many${(n * 7) % 150}`, `item${n}`))
      const cache = createProductCache('https://a.example/mcp')
      const find = async (word: string) => {
        const index = await (await cache.get(open().read, await tenant(), undefined)).index()
        return rankProducts(index, readBrief(word)).map((ranked) => ranked.product.id)
      }
      await save(fileOf(...many))
      const before = await cache.get(open().read, await tenant(), undefined)
      expect(before.products.map((p) => p.id)).toEqual(many.map((p) => p.product_id))
      expect(await find('item99')).toEqual([many[99]?.product_id])

      const since = (await tenant()).productsRevision
      await save(fileOf(...many.with(99, product(many[99]?.product_id ?? '', 'renamed'))))
      expect((await changedProducts(open().read, 'acme', since, 10)).map(({ id }) => id)).toEqual([many[99]?.product_id])
      expect(await find('renamed')).toEqual([many[99]?.product_id])
      expect((await find('item99')).length).toBe(150)
      const after = await cache.get(open().read, await tenant(), undefined)
      expect(after.byId.get(many[99]?.product_id ?? '')?.offer.name).toBe('renamed')
      expect(after.products.filter((p, n) => p !== before.products[n]).map((p) => p.offer.name)).toEqual(['renamed'])

      await save(fileOf(...many.slice(1).reverse()))
      const reversed = await cache.get(open().read, await tenant(), undefined)
      expect(reversed.products.map((p) => p.offer.name).slice(0, 2)).toEqual(['item149', 'item148'])
      expect(reversed.byId.get(many[0]?.product_id ?? '')?.selling.status).toBe('archived')
      await save(fileOf(product('z')))
    })

    it('shows a sandbox agent what was seeded for it, and nobody else', async () => {
      await open().transaction(async (tx) => {
        await seedProduct(tx, 'acme', 'buyer', product('seeded'), NOW)
        await seedProduct(tx, 'acme', 'buyer', product('z', 'seeded over it'), NOW)
        await seedFormat(tx, 'acme', 'buyer', { id: 'f', name: 'F', type: 'display' })
      })
      const cache = createProductCache('https://a.example/mcp')
      const view = async (viewer?: Omit<ActingPrincipal, 'tenantId'>) =>
        cache.get(open().read, await tenant(), viewer && { tenantId: 'acme', ...viewer })
      const mine = await view({ principalId: 'buyer', sandbox: true })
      // The one that was seeded last comes first.
      expect(mine.products.map((p) => p.id)).toEqual(['z', 'seeded'])
      expect(mine.byId.get('z')?.offer.name).toBe('seeded over it')
      expect(mine.seededFormats.map((f) => f.format.format_id.id)).toEqual(['f'])
      for (const viewer of [undefined, { principalId: 'buyer', sandbox: false }]) {
        expect((await view(viewer)).products.map((p) => p.id)).toEqual(['z'])
        expect((await view(viewer)).byId.get('z')?.offer.name).toBe('z')
      }
      const other = { principalId: 'other', sandbox: true }
      expect((await view(other)).products.map((p) => p.id)).toEqual(['z'])
      expect((await view({ ...other, conformance: true })).products.map((p) => p.id)).toEqual(['z', suiteProduct.product_id])
    })
  })

  describe('proposals', () => {
    const proposal = {
      proposal_id: 'p1',
      name: 'P',
      allocations: [],
      expires_at: '2026-03-08T00:00:00.000Z',
      proposal_status: 'draft' as const,
    }
    const keep = (expectedRevision: number, change = {}) =>
      open().transaction((tx) =>
        saveProposal(tx, owner, { ...proposal, ...change }, { accountId: undefined, expectedRevision }, NOW),
      )

    it('are kept for their agent, and a change must build on what was read', async () => {
      await keep(0)
      await keep(1, { name: 'Changed' })
      await expect(keep(1, { name: 'Too late' })).rejects.toMatchObject({ code: 'CONFLICT' })
      await expect(keep(0)).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(await findProposal(open().read, owner, 'p1')).toMatchObject({ proposal: { name: 'Changed' }, revision: 2 })
      for (const other of [
        { ...owner, principalId: 'x' },
        { ...owner, tenantId: 'x' },
      ])
        expect(await findProposal(open().read, other, 'p1')).toBeUndefined()
    })

    it('go when they have been expired for long', async () => {
      await open().transaction((tx) => sweepProposals(tx, new Date('2026-03-08')))
      expect(await findProposal(open().read, owner, 'p1')).toBeDefined()
      await open().transaction((tx) => sweepProposals(tx, new Date('2026-03-09')))
      expect(await findProposal(open().read, owner, 'p1')).toBeUndefined()
    })
  })
}
