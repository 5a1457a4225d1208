/** Where an asset is served to those alone who have a key. */
type Access =
  | { method: 'bearer_token'; token: string }
  | { method: 'service_account'; provider: 'gcp' | 'aws'; credentials?: object }
  | { method: 'signed_url' }

/** A piece of content. */
export type ArtifactAsset =
  | {
      type: 'text'
      role?: 'title' | 'paragraph' | 'heading' | 'caption' | 'quote' | 'list_item' | 'description'
      content: string
      content_format?: 'text/plain' | 'text/markdown' | 'text/html' | 'application/json'
      language?: string
    }
  | { type: 'image'; url: string; access?: Access; alt_text?: string; caption?: string }
  | { type: 'video'; url: string; access?: Access; transcript?: string }
  | { type: 'audio'; url: string; access?: Access; transcript?: string }

/** Content next to an ad (AdCP content-standards/artifact.json), as far as it is judged. */
export interface Artifact {
  property_rid: string
  artifact_id: string
  variant_id?: string
  url?: string
  published_time?: string
  assets: ArtifactAsset[]
  metadata?: {
    canonical?: string
    author?: string
    keywords?: string
    open_graph?: object
    twitter_card?: object
    json_ld?: object[]
  }
}
