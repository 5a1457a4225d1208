import { createDerivedSecrets } from '../../security/secrets/derived-secret.ts'
import { createSecretBox, type SecretBox } from '../../security/secrets/secret-box.ts'
import type { BrandFileOptions } from '../../security/signing/open-brand-file.ts'
import { brandsRevision, loadBrands } from '../../store/brand/brands.ts'
import type { Store } from '../../store/database.ts'
import { createScriptedSiHost } from '../sponsored-intelligence/scripted-si-host.ts'
import type { SiHost } from '../sponsored-intelligence/si-host.ts'
import type { BrandRegistry } from './brand-registry.ts'
import { createImportedBrands } from './imported-brands.ts'
import { type BrandResolver, createBrandResolver } from './resolve-brand.ts'
import { withSuiteBrands } from './suite-brands.ts'

export interface BrandServices {
  readonly brands: BrandRegistry
  readonly brandFiles: BrandResolver
  readonly siHost: SiHost
  readonly conversations: SecretBox
  readonly checkoutToken: (name: string) => string
}

/** The brand registry of a store. `secret` is the deployment's: keys of grants follow from it. */
export function storedBrands(store: Store, secret: string, { conformance }: { readonly conformance: boolean }): BrandRegistry {
  const imported = createImportedBrands({
    revision: (tenantId) => brandsRevision(store.read, tenantId),
    load: (tenantId) => loadBrands(store.read, tenantId),
    secretFor: createDerivedSecrets(secret, 'rights-keys'),
  })
  return conformance ? withSuiteBrands(imported) : imported
}

/** Everything behind brands, rights and sponsored conversations, with the built-in ports. */
export function createBrandServices(
  store: Store,
  secret: string,
  documents: BrandFileOptions,
  rules: { readonly conformance: boolean },
): BrandServices {
  return {
    brands: storedBrands(store, secret, rules),
    brandFiles: createBrandResolver(documents),
    siHost: createScriptedSiHost(),
    conversations: createSecretBox(secret, 'conversations'),
    checkoutToken: createDerivedSecrets(secret, 'checkout-tokens'),
  }
}
