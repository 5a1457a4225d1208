import { checkManifest, slotsIn, type Violation } from '../../domain/creative/canonical/check-manifest.ts'
import { declarer } from '../../domain/creative/canonical/declaration.ts'
import type { CatalogFormat } from '../../domain/creative/formats/format.ts'
import { offeredTransformers } from '../../domain/creative/transformers/offered.ts'
import type { FormatOption } from '../../domain/product/format-option.ts'
import type { Product } from '../../domain/product/product.ts'
import { buildTargets } from '../../domain/protocol/creative-capabilities.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import { byCanonicalNames, canonicalSlots, type Manifest } from './canonical-manifest.ts'
import { formatScopeOf } from './format-scope.ts'

interface Target {
  /** `capability` since AdCP 3.2: an entry of `creative.supported_formats` of get_adcp_capabilities. */
  readonly kind: 'canonical' | 'product' | 'third_party_format' | 'capability'
  readonly id: string
}

/** AdCP 3.1, creative/validate-input-request.json. */
interface Request {
  readonly manifest: Manifest
  readonly targets?: readonly Target[]
}

/** AdCP 3.1, creative/validate-input-result.json. */
interface TargetResult {
  readonly target: Target
  readonly result_kind: 'validated_pass' | 'validated_fail' | 'unvalidatable_nondeterministic'
  readonly violations?: readonly Violation[]
}

export const validateInput = defineTask<Request, { results: readonly TargetResult[] }>()({
  name: 'validate_input',
  since: '3.1',
  access: 'authenticated',
  scope: 'creatives',
  account: 'optional',
  summary: 'Check the structure of a creative manifest against canonical formats and products, before it is made.',
  async prepare({ manifest, targets }, context) {
    const { products, formats } = await context.services.products.get(context.db, context.tenant, context.principal)
    const byId = new Map(products.map((product) => [product.offer.product_id, product]))
    const declare = declarer(formats)
    const named = byCanonicalNames(manifest, await formatScopeOf(context))
    return (targets ?? [ownTarget(named)]).map((target, index): TargetResult => {
      const field = `targets[${index}]`
      const options = optionsFor(target, { byId, declare, formats, field, context })
      return { target, ...judge(named, options, context) }
    })
  },
  async handle(_request, _context, results) {
    return { results }
  },
})

/** Without targets a manifest is held against the kind that it says it is. Throws INVALID_REQUEST. */
function ownTarget({ format_kind: kind }: Request['manifest']): Target {
  if (typeof kind === 'string') return { kind: 'canonical', id: kind }
  throw new AdcpError('INVALID_REQUEST', 'targets is required for a manifest without format_kind', { field: 'targets' })
}

interface Sources {
  readonly byId: ReadonlyMap<string, Product>
  readonly declare: ReturnType<typeof declarer>
  readonly formats: readonly CatalogFormat[]
  readonly field: string
  readonly context: AuthenticatedContext
}

/** What a target takes: a canonical kind without limits, a format that is built here, or the options of a product. Throws what names no target that is known here. */
function optionsFor({ kind, id }: Target, sources: Sources): readonly FormatOption[] {
  const { byId, declare, field, context } = sources
  if (kind === 'capability') return [capabilityOption(id, sources)]
  if (kind === 'canonical') {
    if (canonicalSlots(id, context)) return [{ format_kind: id, params: {} }]
    throw new AdcpError('REFERENCE_NOT_FOUND', `${field}.id ${quoted(id)} is no canonical format`, { field: `${field}.id` })
  }
  if (kind === 'third_party_format') {
    throw new AdcpError('UNSUPPORTED_FEATURE', 'definitions of formats at other addresses are not fetched', {
      field: `${field}.kind`,
      suggestion: 'use one of: canonical, product, or under AdCP 3.2 capability',
    })
  }
  const product = byId.get(id)
  if (!product) {
    const hint = instead(id, () => [...byId.keys()], 'get_products lists what is offered')
    throw new AdcpError('PRODUCT_NOT_FOUND', `${field}.id ${quoted(id)} is no product that is offered to you${hint}`, {
      field: `${field}.id`,
    })
  }
  const { format_options: own, format_ids: ids } = product.offer
  return own ?? ids.flatMap((format) => declare(format) ?? [])
}

/** A format of `creative.supported_formats`. Throws REFERENCE_NOT_FOUND for an id that is not there. */
function capabilityOption(id: string, { declare, formats, field, context }: Sources): FormatOption {
  const offered = offeredTransformers(context.services.creativeBuilder.transformers, formats)
  const targets = buildTargets(offered, declare, formats)
  const target = targets.find(({ capability_id: own }) => own === id)
  if (target) return target.format
  const ids = targets.map(({ capability_id: own }) => own)
  const hint = instead(id, () => ids, 'see creative.supported_formats of get_adcp_capabilities')
  throw new AdcpError('REFERENCE_NOT_FOUND', `${field}.id ${quoted(id)} is no capability of this agent${hint}`, {
    field: `${field}.id`,
  })
}

/** The verdict of the option that the manifest comes nearest to: one that it passes, else the one of its kind with the fewest violations. */
function judge(
  manifest: Request['manifest'],
  options: readonly FormatOption[],
  context: AuthenticatedContext,
): Pick<TargetResult, 'result_kind' | 'violations'> {
  const { format_kind: kind } = manifest
  const ofKind = options.filter((option) => kind === undefined || option.format_kind === kind)
  const candidates = ofKind.length > 0 ? ofKind : options
  const isSynthesised = candidates.length > 0 && candidates.every(({ params }) => params.synthesis_nondeterministic === true)
  const verdicts = candidates.map(({ format_kind, params }) =>
    checkManifest(manifest, {
      kind: format_kind,
      params,
      slots: slotsIn(params.slots ?? canonicalSlots(format_kind, context)),
    }).filter(({ rule }) => !isSynthesised || rule === 'required_slot'),
  )
  const [best] = verdicts.toSorted((a, b) => a.length - b.length)
  // What goes into a synthesis can be judged; what comes out of it cannot.
  if (isSynthesised && best?.length === 0) return { result_kind: 'unvalidatable_nondeterministic' }
  if (best?.length === 0) return { result_kind: 'validated_pass' }
  const violations = best ?? [{ rule: 'format_kind', expected: [], predicted: kind, field: 'format_kind' }]
  return { result_kind: 'validated_fail', violations }
}
