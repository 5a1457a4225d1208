import type { Kysely } from 'kysely'
import { createAccountTables } from './0001-initial/account.ts'
import { createAudienceTables } from './0001-initial/audience.ts'
import { createAuditTables } from './0001-initial/audit.ts'
import { createBrandTables } from './0001-initial/brand.ts'
import { createCatalogTables } from './0001-initial/catalog.ts'
import { createContentStandardsTables } from './0001-initial/content-standards.ts'
import { createCreativeTables } from './0001-initial/creative.ts'
import { createDirectoryTables } from './0001-initial/directory.ts'
import { createEventTables } from './0001-initial/event.ts'
import { createGovernanceTables } from './0001-initial/governance.ts'
import { createIdentityTables } from './0001-initial/identity.ts'
import { createInventoryListTables } from './0001-initial/inventory-list.ts'
import { createLimitTables } from './0001-initial/limits.ts'
import { createMediaBuyTables } from './0001-initial/media-buy.ts'
import { createProductTables } from './0001-initial/product.ts'
import { createRegistryTables } from './0001-initial/registry.ts'
import { createRightsTables } from './0001-initial/rights.ts'
import { createSiTables } from './0001-initial/si.ts'
import { createSignalTables } from './0001-initial/signal.ts'
import { createTaskTables } from './0001-initial/task.ts'
import { createWebhookTables } from './0001-initial/webhook.ts'

/** In this order, because a table comes after those that it refers to. */
const AREAS = [
  createIdentityTables,
  createLimitTables,
  createTaskTables,
  createAccountTables,
  createProductTables,
  createMediaBuyTables,
  createCreativeTables,
  createInventoryListTables,
  createContentStandardsTables,
  createCatalogTables,
  createAudienceTables,
  createEventTables,
  createSignalTables,
  createBrandTables,
  createRightsTables,
  createSiTables,
  createGovernanceTables,
  createWebhookTables,
  createAuditTables,
  createDirectoryTables,
  createRegistryTables,
]

/** The schema of a new store, one file an area. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const createTables of AREAS) await createTables(db)
}
