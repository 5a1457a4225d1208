import type { Config } from '../../config/config.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { StoreAddress } from '../../store/copy-store.ts'
import { storePath } from '../../store/open.ts'

/** The embedded store of a configuration. */
export function embeddedStore(config: Config): { readonly kind: 'sqlite'; readonly path: string } {
  return { kind: 'sqlite', path: storePath(config.data) }
}

/** The PostgreSQL database of a configuration. Throws INVALID_REQUEST when it names none. */
export function configuredDatabase({ database }: Config): StoreAddress {
  if (database === undefined) {
    throw new AdcpError('INVALID_REQUEST', 'name the target with --to, or set database (SALES_AGENT_DATABASE)', { field: 'to' })
  }
  return { kind: 'postgres', url: database }
}
