import type { GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'
import type { CreativeFeature } from '../creative/features/feature.ts'
import { MOST_CREATIVES, MOST_VARIANTS } from '../creative/transformers/transformer.ts'
import { VARIANT_DIMENSIONS } from '../creative/transformers/variants.ts'

type Creative = NonNullable<GetAdCPCapabilitiesResponse['creative']> & LaterCreative
type Governance = NonNullable<GetAdCPCapabilitiesResponse['governance']>

/** What AdCP 3.1 added. */
interface LaterCreative {
  readonly supports_transformers?: boolean
  readonly supports_spend_controls?: boolean
  readonly bills_through_adcp?: boolean
  readonly multiplicity?: object
}

/**
 * What is done for creatives here: a library, building from a message, from assets, under the disclosures of a brief; from 3.1 on with transformers,
 * variants and limits on what is spent.
 */
export function creativeCapabilities(tasks: ReadonlySet<string>, later: boolean): Creative {
  const builds = tasks.has('build_creative')
  return {
    has_creative_library: tasks.has('list_creatives'),
    supports_generation: builds,
    supports_transformation: builds,
    supports_compliance: builds,
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
