import { type Config, givenSecret } from '../config/config.ts'
import type { BrandRegistry } from '../features/brands/brand-registry.ts'
import { storedBrands } from '../features/brands/services.ts'
import { deploymentSecret, secretPath } from '../security/secrets/deployment-secret.ts'
import type { Store } from '../store/database.ts'

/** The brand registry of a command: the same as that of a server on this store. */
export function brandsOf(store: Store, config: Config): BrandRegistry {
  return storedBrands(store, deploymentSecret(config.secretFile ?? secretPath(config.data), givenSecret()), config)
}
