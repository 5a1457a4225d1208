import type { Config } from '../config/config.ts'
import type { Store } from '../store/database.ts'
import { openStore } from '../store/open.ts'
import { configOf, type StoreOptions } from './store-options.ts'

/** Opens the store of a configuration, runs `work`, closes it. Throws INVALID_REQUEST when there is none and `create` is not set. */
export async function withStore<T>(
  options: StoreOptions,
  work: (store: Store, config: Config) => Promise<T>,
  create = false,
): Promise<T> {
  const config = configOf(options)
  const store = await openStore(config, { create })
  try {
    return await work(store, config)
  } finally {
    await store.close()
  }
}
