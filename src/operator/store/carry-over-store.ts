import { resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { carryOverFolder, carryOverPostgres } from '../../store/carry-over.ts'
import { addressName, storeAddress } from '../../store/copy-store.ts'

/** A store that was carried over, and the migrations that ran on it. */
export interface CarriedOver {
  readonly store: string
  /** Whether it is the database that was named, changed in place. */
  readonly inPlace: boolean
  readonly applied: readonly string[]
}

/**
 * Carries a store over that an earlier version made: a data folder or a backup into the data folder of the configuration, or a PostgreSQL
 * database in place. Throws INVALID_REQUEST when there is no such store, or something in the data folder.
 */
export async function carryOverStore(config: Config, from: string): Promise<CarriedOver> {
  if (/^postgres(ql)?:/.test(from)) {
    const database = storeAddress(from, 'from')
    if (database.kind !== 'postgres') throw new AdcpError('INVALID_REQUEST', '--from: not a database', { field: 'from' })
    return { store: addressName(database), inPlace: true, applied: await carryOverPostgres(database.url) }
  }
  const to = resolve(config.data)
  return { store: to, inPlace: false, applied: await carryOverFolder(resolve(from), to) }
}
