import type { Command } from 'commander'
import { type Config, loadConfig } from '../config/config.ts'
import { AdcpError } from '../protocol/errors.ts'
import { Schemas } from '../protocol/schemas.ts'
import type { Store } from '../store/database.ts'
import { listTenants } from '../store/identity/principals.ts'
import { openStore } from '../store/open.ts'

export interface StoreOptions {
  readonly data?: string
  readonly config?: string
}

/** Adds the options that every command on a store takes. */
export function withStoreOptions(command: Command): Command {
  return command
    .option('--data <dir>', 'data folder (default ./data)')
    .option('--config <file>', 'configuration file (YAML or JSON)')
}

/** The configuration that a command on a store works with. */
export function configOf(options: StoreOptions, schemas = new Schemas()): Config {
  return loadConfig(schemas, { file: options.config, flags: { data: options.data } })
}

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

/** The tenant that was named, or the only one there is. Throws INVALID_REQUEST otherwise. */
export async function chooseTenant(store: Store, named: string | undefined): Promise<string> {
  const tenants = await listTenants(store.read)
  const chosen =
    named === undefined ? (tenants.length === 1 ? tenants[0] : undefined) : tenants.find((tenant) => tenant.tenantId === named)
  if (chosen) return chosen.tenantId
  const names = tenants.map((tenant) => tenant.tenantId).join(', ') || 'none'
  throw new AdcpError(
    'INVALID_REQUEST',
    named === undefined ? `name a tenant with --tenant (${names})` : `no tenant ${named} (there are: ${names})`,
    {
      field: 'tenant',
    },
  )
}
