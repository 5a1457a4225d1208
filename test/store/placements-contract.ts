import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/database.ts'
import { embeddedVersion } from '../../src/store/embedded/orders.ts'
import {
  findEmbeddedPlacement,
  listEmbeddedPlacements,
  putEmbeddedPlacement,
  removeEmbeddedPlacement,
} from '../../src/store/embedded/placements.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { NOW } from '../support/media-buy-fixtures.ts'

const tenantId = 'placed'

/** What every storage engine must do for placements. */
export function placementsContract(open: () => Store): void {
  describe('placements', () => {
    it('are kept for their publisher, and each change is one that decisions notice', async () => {
      const { transaction, read } = open()
      const put = (placementId: string, document: string) =>
        transaction((tx) => putEmbeddedPlacement(tx, tenantId, { placementId, document }, NOW))
      await transaction((tx) => addTenant(tx, { tenantId, name: 'Placed', domain: 'placed.example' }, NOW))
      await put('b', '1')
      await put('a', '2')
      await put('b', '3')
      expect(await listEmbeddedPlacements(read, tenantId)).toEqual([
        { placementId: 'a', document: '2' },
        { placementId: 'b', document: '3' },
      ])
      expect(await findEmbeddedPlacement(read, 'acme', 'a')).toBeUndefined()
      expect(await embeddedVersion(read, tenantId)).toBe(3)
      const remove = () => transaction((tx) => removeEmbeddedPlacement(tx, tenantId, 'a'))
      expect([await remove(), await remove()]).toEqual([true, false])
      expect(await findEmbeddedPlacement(read, tenantId, 'a')).toBeUndefined()
      expect(await embeddedVersion(read, tenantId)).toBeGreaterThan(3)
    })
  })
}
