import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChangeOrigin } from '../../domain/account/account-change.ts'

const origins = new AsyncLocalStorage<ChangeOrigin>()

/** Runs work whose changes come from a buyer's call or one of the publisher's people. Inside a transaction's own function: who runs that function may be another call. */
export function asChangeOf<T>(origin: ChangeOrigin, work: () => T): T {
  return origins.run(origin, work)
}

/** Who brings about what is being changed; without anybody the server itself. */
export function changeOrigin(): ChangeOrigin {
  return origins.getStore() ?? 'seller_system'
}
