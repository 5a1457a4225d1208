import type { Act } from '../act.ts'
import { addPublisher } from './add-tenant.ts'
import { removePublisher } from './remove-tenant.ts'
import { listPublishers, setPublicPublisher, setPublisher, setSettings, showSettings } from './tenant-acts.ts'

/** What can be done with publishers and their settings, in the order of the help. */
export const tenantActs: readonly Act[] = [
  addPublisher,
  listPublishers,
  setPublisher,
  setPublicPublisher,
  removePublisher,
  showSettings,
  setSettings,
]
