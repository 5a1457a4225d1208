/** How content came about (AdCP enums/digital-source-type.json). */
export type DigitalSourceType =
  | 'digital_capture'
  | 'digital_creation'
  | 'trained_algorithmic_media'
  | 'composite_with_trained_algorithmic_media'
  | 'algorithmic_media'
  | 'composite_capture'
  | 'composite_synthetic'
  | 'human_edits'
  | 'data_driven_media'

/** What its maker claims of the origin of content (AdCP core/provenance.json), as far as it is read; all of it is kept. */
export interface Provenance {
  digital_source_type?: DigitalSourceType
  ai_tool?: { name: string; version?: string; provider?: string }
  human_oversight?: 'none' | 'prompt_only' | 'selected' | 'edited' | 'directed'
  declared_by?: { agent_url?: string; role: 'creator' | 'advertiser' | 'agency' | 'platform' | 'tool' }
  declared_at?: string
  created_time?: string
  c2pa?: { manifest_url: string }
  disclosure?: {
    required: boolean
    jurisdictions?: { country: string; region?: string; regulation: string; label_text?: string }[]
  }
  verification?: {
    verified_by: string
    verified_time?: string
    result: 'authentic' | 'ai_generated' | 'ai_modified' | 'inconclusive'
    confidence?: number
  }[]
}
