import type { Channel } from './product/offer.ts'

/** A case that a policy is explained by. */
export interface PolicyExemplar {
  scenario: string
  explanation: string
}

/** How binding a policy is. */
export const ENFORCEMENTS = ['must', 'should', 'may'] as const

/** A rule on content or spending, in words (AdCP governance/policy-entry.json). */
export interface Policy {
  policy_id: string
  source?: 'registry' | 'inline'
  version?: string
  name?: string
  description?: string
  category?: 'regulation' | 'standard'
  enforcement: (typeof ENFORCEMENTS)[number]
  requires_human_review?: boolean
  jurisdictions?: string[]
  region_aliases?: { [region: string]: string[] | undefined }
  policy_categories?: string[]
  channels?: Channel[]
  effective_date?: string
  sunset_date?: string
  policy: string
  guidance?: string
  exemplars?: { pass?: PolicyExemplar[]; fail?: PolicyExemplar[] }
}
