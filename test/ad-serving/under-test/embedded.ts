import { embeddedBackend } from '../../../src/compose/embedded-ad-server.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { BASE_SOURCE } from '../../../src/protocol/contract-source.ts'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { createProductCache } from '../../../src/store/product/product-cache.ts'
import { saveProducts } from '../../../src/store/product/save-products.ts'
import { SETTINGS } from '../../support/ad-server-orders.ts'
import { demoProductsFile } from '../../support/demo-products.ts'
import type { BackendUnderTest } from '../contract.ts'
import { openPublishers } from './stored.ts'

const AGENT_URL = 'http://127.0.0.1:3000/mcp'
/** Loaded once: every check opens the ad server anew. */
const config = loadConfig(loadContracts([BASE_SOURCE]).base.schemas, { environment: {} })
const PRODUCTS = demoProductsFile()

/** The ad server of this program. */
export async function openEmbedded(): Promise<BackendUnderTest> {
  const { store, close } = await openPublishers()
  await store.transaction((tx) => saveProducts(tx, 'acme', PRODUCTS, { merge: false }, new Date('2026-06-01')))
  const clock = () => new Date('2026-07-02T00:00:00Z')
  const products = createProductCache(AGENT_URL)
  const open = () => embeddedBackend({ store, config, products, agentUrl: AGENT_URL, clock })
  return {
    backend: open(),
    reopen: open,
    settings: SETTINGS,
    refuses: 'it takes every line that its capabilities allow',
    close,
    /** Changes a line in the store, past the ad server. */
    async tamper(_order, lineExternalId) {
      const changed = { ...SETTINGS, budgetMicros: 1 }
      await store.transaction(async (tx) => {
        const row = await tx
          .selectFrom('embedded_lines')
          .selectAll()
          .where('anchor', '=', lineExternalId)
          .executeTakeFirstOrThrow()
        const document = JSON.stringify({ ...JSON.parse(row.document), settings: changed })
        await tx.updateTable('embedded_lines').set({ document }).where('line_id', '=', row.line_id).execute()
      })
      return { subject: 'line', field: 'budgetMicros', heals: true }
    },
  }
}
