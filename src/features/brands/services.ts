import type { SecretSource } from '../../security/secrets/deployment-secrets.ts'
import { secretsUnder } from '../../security/secrets/derived-secret.ts'
import type { LastingKeys } from '../../security/secrets/lasting-keys.ts'
import { createSecretBox, type SecretBox } from '../../security/secrets/secret-box.ts'
import type { BrandFileOptions } from '../../security/signing/open-brand-file.ts'
import { brandsRevision, loadBrands } from '../../store/brand/brands.ts'
import type { Store } from '../../store/database.ts'
import type { BrandRegistry } from './brand-registry.ts'
import { createImportedBrands } from './imported-brands.ts'
import { type BrandResolver, createBrandResolver } from './resolve-brand.ts'
import { withSuiteBrands } from './suite-brands.ts'

export interface BrandServices {
  readonly brands: BrandRegistry
  readonly brandFiles: BrandResolver
  readonly conversations: SecretBox
  readonly checkoutToken: (name: string) => string
}

/** The brand registry of a store; keys of grants follow from a lasting key. */
export function storedBrands(store: Store, keys: LastingKeys, { conformance }: { readonly conformance: boolean }): BrandRegistry {
  const imported = createImportedBrands({
    revision: (tenantId) => brandsRevision(store.read, tenantId),
    load: (tenantId) => loadBrands(store.read, tenantId),
    secretFor: secretsUnder(keys['rights-keys']),
  })
  return conformance ? withSuiteBrands(imported) : imported
}

/** Everything behind brands, rights and sponsored conversations but the voice of brands. */
export function createBrandServices(
  store: Store,
  { secret, lastingKeys }: { readonly secret: SecretSource; readonly lastingKeys: LastingKeys },
  documents: BrandFileOptions,
  rules: { readonly conformance: boolean },
): BrandServices {
  return {
    brands: storedBrands(store, lastingKeys, rules),
    brandFiles: createBrandResolver(documents),
    conversations: createSecretBox(secret, 'conversations'),
    checkoutToken: secretsUnder(lastingKeys['checkout-tokens']),
  }
}
