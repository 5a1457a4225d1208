import type { GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'
import type { Declare } from '../creative/canonical/declaration.ts'
import { canonicalSlots } from '../creative/canonical/slots.ts'
import type { CreativeFeature } from '../creative/features/feature.ts'
import type { CatalogFormat } from '../creative/formats/format.ts'
import type { OfferedTransformer } from '../creative/transformers/offered.ts'
import { MOST_CREATIVES, MOST_VARIANTS } from '../creative/transformers/transformer.ts'
import { VARIANT_DIMENSIONS } from '../creative/transformers/variants.ts'
import type { FormatOption } from '../product/format-option.ts'

type FormatDeclaration = Omit<FormatOption, 'format_option_id'>
type Creative = NonNullable<GetAdCPCapabilitiesResponse['creative']> & LaterCreative
type Governance = NonNullable<GetAdCPCapabilitiesResponse['governance']>

/** What AdCP 3.1 added. */
interface LaterCreative {
  readonly supports_transformers?: boolean
  readonly supports_spend_controls?: boolean
  readonly bills_through_adcp?: boolean
  readonly supports_evaluator?: boolean
  readonly supported_formats?: readonly BuildTarget[]
  readonly multiplicity?: object
}

/** A format that build_creative makes, by the id that its `target_format_id` names (AdCP 3.1, `creative.supported_formats`). */
export interface BuildTarget {
  readonly capability_id: string
  readonly format: FormatDeclaration
  /** What is done for it (AdCP 3.2): it is built, and manifests are held against it. Previews by capability would have to be declared of their own (`creative.preview`). */
  readonly operations: readonly ('build' | 'validate')[]
}

/** The formats that some transformer makes, as buyers of later releases read them: with all slots, since no product is there to tell them. */
export function buildTargets(
  offered: readonly OfferedTransformer[],
  declare: Declare,
  formats: readonly CatalogFormat[],
): readonly BuildTarget[] {
  const byId = new Map(formats.map((each) => [each.format.format_id.id, each]))
  const outputs = new Map(offered.flatMap((each) => each.outputs).map(({ format_id }) => [format_id.id, format_id]))
  return [...outputs].flatMap(([capability_id, formatId]) => {
    const declared = declare(formatId)
    if (!declared) return []
    // An option is one of a product.
    const { format_option_id: _option, ...format } = declared
    const known = byId.get(capability_id)
    const slots = known ? canonicalSlots(known) : []
    return [
      {
        capability_id,
        operations: ['build', 'validate'],
        format: { ...format, params: { ...(slots.length > 0 && { slots }), ...format.params } },
      },
    ]
  })
}

/**
 * What is done for creatives here: a library, building from a message, from assets, under the disclosures of a brief; from 3.1 on with transformers,
 * variants and limits on what is spent, and the formats that are built.
 */
export function creativeCapabilities(tasks: ReadonlySet<string>, later: boolean, targets: readonly BuildTarget[]): Creative {
  const builds = tasks.has('build_creative')
  return {
    has_creative_library: tasks.has('list_creatives'),
    supports_generation: builds,
    supports_transformation: builds,
    supports_compliance: builds,
    ...(later && builds && { supports_evaluator: false, ...(targets.length > 0 && { supported_formats: targets }) }),
    ...(later && builds && tasks.has('list_transformers') && LATER),
  }
}

const LATER: LaterCreative = {
  supports_transformers: true,
  supports_spend_controls: true,
  bills_through_adcp: true,
  multiplicity: {
    supports_catalog_fanout: true,
    max_creatives_limit: MOST_CREATIVES,
    supports_variants: true,
    max_variants_limit: MOST_VARIANTS,
    variant_dimensions: [...VARIANT_DIMENSIONS],
  },
}

/** The features that creatives are evaluated for, as a governance agent declares them. */
export function creativeFeatures(features: readonly CreativeFeature[]): Pick<Governance, 'creative_features'> {
  return {
    creative_features: features.map(({ id, type, description, categories, range }) => ({
      feature_id: id,
      type,
      description,
      ...(categories && { categories: [...categories] }),
      ...(range && { range: { ...range } }),
    })),
  }
}
