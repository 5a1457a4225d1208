import { adoptCreative } from '../../domain/creative/adopt-creative.ts'
import type { SentCreative } from '../../domain/creative/creative.ts'
import type { Package } from '../../domain/media-buy/media-buy.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { creativeRefusal } from '../creative/creative-refusal.ts'
import { formatScopeOf } from '../creative/format-scope.ts'
import { type Generated, generateCreatives } from '../creative/generate-creatives.ts'
import { optionLimits } from '../creative/option-limits.ts'
import { policyOfProduct } from '../creative/provenance-policies.ts'
import { upsertCreatives } from '../creative/upsert-creatives.ts'

interface WithCreatives {
  readonly creatives?: readonly SentCreative[]
}

/** The creatives that come with one package, with the ads that were made of their briefs. */
export interface Upload {
  readonly pkg: Package
  /** Path of the package in the request. */
  readonly path: string
  readonly generated: Generated
}

/**
 * Makes the ads of creatives that come with packages as a brief, as sync_creatives would; `packages` of a request and those that were `planned` for them go by index. For
 * `prepare`: a builder may be a network away. Throws UNSUPPORTED_FEATURE for a creative that the package does not take, and the refusal of a brief that
 * nothing can be made of.
 */
export async function prepareUploads(
  context: AuthenticatedContext,
  packages: readonly WithCreatives[] | undefined,
  planned: (index: number) => Package | undefined,
  field: 'packages' | 'new_packages',
): Promise<readonly Upload[]> {
  const scope = await formatScopeOf(context)
  const uploads: Upload[] = []
  for (const [index, { creatives }] of (packages ?? []).entries()) {
    const pkg = planned(index)
    if (!creatives || !pkg) continue
    const path = `${field}[${index}]`
    for (const [position, sent] of creatives.entries()) {
      const { format_id: formatId, assets } = adoptCreative(sent, scope, context.services.wiring.formats.ofKind)
      const unfit = await creativeRefusal(context, pkg, { formatId, assets })
      if (!unfit) continue
      const at = `${path}.creatives[${position}].${unfit.member}`
      throw new AdcpError('UNSUPPORTED_FEATURE', `${at}: ${unfit.reason}`, { field: at })
    }
    const generated = await generateCreatives(context, creatives, { publish: false })
    const [refused] = generated.refused.values()
    if (refused) throw below(path, refused)
    uploads.push({ pkg, path, generated })
  }
  return uploads
}

/**
 * Puts the creatives that come with packages into the account's library, as sync_creatives would. Throws the first refusal, its field below
 * the path of the package; nothing of the order happens then. Gives what sync_creatives would warn of, with its place in the request.
 */
export async function uploadCreatives(
  context: InTransaction<AuthenticatedContext>,
  accountId: string,
  uploads: readonly Upload[],
): Promise<readonly string[]> {
  const warnings: string[] = []
  for (const { pkg, path, generated } of uploads) {
    const policy = await policyOfProduct(context, pkg.productId)
    const policiesOf = () => (policy ? [policy] : [])
    const { byId } = await context.services.products.get(context.db, context.tenant, context.principal)
    const product = byId.get(pkg.productId)
    const limitsOf = product ? await optionLimits(context, { product }) : () => []
    const options = { accountId, mode: 'lenient', dryRun: false, policiesOf, limitsOf, generated } as const
    for (const [index, decision] of (await upsertCreatives(context, generated.creatives, options)).entries()) {
      if (decision.action === 'failed') {
        const [error] = decision.errors
        throw below(path, error ?? new AdcpError('CREATIVE_REJECTED', 'creatives cannot be used', { field: 'creatives' }))
      }
      warnings.push(...decision.warnings.map((text) => `${path}.creatives[${index}].${text}.`))
    }
  }
  return warnings
}

/** A refusal of a creative with its place in the request. */
function below(path: string, error: AdcpError): AdcpError {
  const field = `${path}.${error.field ?? 'creatives'}`
  return new AdcpError(error.code, error.message.replace(error.field ?? '', field), {
    field,
    ...(error.details && { details: error.details }),
    ...(error.suggestion !== undefined && { suggestion: error.suggestion }),
  })
}
