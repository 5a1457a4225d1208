import type { GetAdCPCapabilitiesResponse } from '@adcp/sdk/types'
import type { CreativeFeature } from '../creative/features/feature.ts'

type Creative = NonNullable<GetAdCPCapabilitiesResponse['creative']>
type Governance = NonNullable<GetAdCPCapabilitiesResponse['governance']>

/** What is done for creatives here: a library, building from a message, from assets, under the disclosures of a brief. */
export function creativeCapabilities(tasks: ReadonlySet<string>): Creative {
  const builds = tasks.has('build_creative')
  return {
    has_creative_library: tasks.has('list_creatives'),
    supports_generation: builds,
    supports_transformation: builds,
    supports_compliance: builds,
  }
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
