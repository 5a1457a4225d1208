import type { Config } from '../../config/config.ts'
import type { CopyProgress, TableSum } from '../../store/bulk.ts'
import { addressName, copyStore, type StoreAddress, storeAddress } from '../../store/copy-store.ts'
import { requireFolderOf } from '../../store/sqlite/backup-file.ts'
import { configuredDatabase, embeddedStore } from './store-address.ts'

export interface CopyRequest {
  /** `sqlite:PATH` or `postgres://…` (default: the embedded store of the data folder). */
  readonly from?: string | undefined
  /** The same (default: the configured database). */
  readonly to?: string | undefined
  readonly onProgress: (progress: CopyProgress) => void
}

/** What was copied: the names of both stores, without passwords, and rows and checksum of each table. */
export interface Copied {
  readonly from: string
  readonly to: string
  readonly rows: number
  readonly tables: readonly TableSum[]
}

/** Copies a whole store into an empty one and compares every table. Throws INVALID_REQUEST for an address that is wrong or a target that is not empty. */
export async function copyDeployment(config: Config, { from, to, onProgress }: CopyRequest): Promise<Copied> {
  const source = from === undefined ? embeddedStore(config) : storeAddress(from, 'from')
  const target = to === undefined ? configuredDatabase(config) : storeAddress(to, 'to')
  if (target.kind === 'sqlite') requireFolderOf(target.path)
  return copyBetween(source, target, onProgress)
}

/** Copies between two stores. Throws INVALID_REQUEST when the target is not empty. */
export async function copyBetween(
  from: StoreAddress,
  to: StoreAddress,
  onProgress: (progress: CopyProgress) => void,
): Promise<Copied> {
  const tables = await copyStore(from, to, onProgress)
  const rows = tables.reduce((sum, each) => sum + each.rows, 0)
  return { from: addressName(from), to: addressName(to), rows, tables }
}
