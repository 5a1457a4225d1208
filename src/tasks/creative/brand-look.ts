import { brandOfDomain, brandOfFile } from '../../domain/creative/build/brand-look.ts'
import type { BrandLook } from '../../domain/creative/build/copy.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'

/**
 * What ads show of a brand: name and colour as its brand.json has them, else what follows from its domain alone. Simulated brands have no files. May ask the
 * network, so it is for `prepare`.
 */
export async function brandLookOf(
  { principal, services, now }: AuthenticatedContext,
  reference: { readonly domain: string; readonly brand_id?: string | undefined } | undefined,
): Promise<BrandLook | undefined> {
  if (!reference) return undefined
  const plain = brandOfDomain(reference.domain)
  if (principal.sandbox) return plain
  const resolved = await services.brandFiles.resolve(reference.domain, { brandId: reference.brand_id, now })
  return resolved.ok && resolved.brand.brand ? brandOfFile(plain, resolved.brand.brand) : plain
}
