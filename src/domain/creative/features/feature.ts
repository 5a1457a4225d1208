/** A feature that creatives are evaluated for (AdCP get_adcp_capabilities, `governance.creative_features`). */
export interface CreativeFeature {
  readonly id: string
  readonly type: 'binary' | 'quantitative' | 'categorical'
  readonly description: string
  readonly categories?: readonly string[]
  readonly range?: { readonly min: number; readonly max: number }
  readonly unit?: string
}

export interface FeatureValue {
  readonly featureId: string
  readonly value: boolean | number | string
  readonly unit?: string | undefined
  /** 0 to 1. */
  readonly confidence: number
  /** What the value rests on, for people. */
  readonly evidence?: readonly string[]
}
