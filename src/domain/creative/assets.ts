import type { DeclaredCatalog } from '../catalog/declared-catalog.ts'
import type { Provenance } from './provenance.ts'

interface Claimed {
  provenance?: Provenance
}

export interface ImageAsset extends Claimed {
  asset_type: 'image'
  url: string
  width: number
  height: number
  format?: string
  alt_text?: string
}

export interface VideoAsset extends Claimed {
  asset_type: 'video'
  url: string
  width: number
  height: number
  duration_ms?: number
  file_size_bytes?: number
  container_format?: string
  video_codec?: string
  video_bitrate_kbps?: number
  has_audio?: boolean
  captions_url?: string
  transcript_url?: string
  audio_description_url?: string
}

export interface AudioAsset extends Claimed {
  asset_type: 'audio'
  url: string
  duration_ms?: number
  file_size_bytes?: number
  container_format?: string
  codec?: string
  sampling_rate_hz?: number
  bitrate_kbps?: number
  transcript_url?: string
}

/** A tag by its address or as it is. */
type Delivered = { delivery_type: 'url'; url: string } | { delivery_type: 'inline'; content: string }

export type VastAsset = Claimed & {
  asset_type: 'vast'
  vast_version?: '2.0' | '3.0' | '4.0' | '4.1' | '4.2'
  vpaid_enabled?: boolean
  duration_ms?: number
  captions_url?: string
} & Delivered

export type DaastAsset = Claimed & {
  asset_type: 'daast'
  daast_version?: '1.0' | '1.1'
  duration_ms?: number
  companion_ads?: boolean
} & Delivered

export interface TextAsset extends Claimed {
  asset_type: 'text'
  content: string
  language?: string
}

export interface MarkdownAsset {
  asset_type: 'markdown'
  content: string
  language?: string
  markdown_flavor?: 'commonmark' | 'gfm'
  allow_raw_html?: boolean
}

export interface UrlAsset extends Claimed {
  asset_type: 'url'
  url: string
  url_type?: 'clickthrough' | 'tracker_pixel' | 'tracker_script'
  description?: string
}

/** What a page says of how people who cannot see or point use it. */
interface Accessibility {
  alt_text?: string
  keyboard_navigable?: boolean
  motion_control?: boolean
  screen_reader_tested?: boolean
}

export interface HtmlAsset extends Claimed {
  asset_type: 'html'
  content: string
  version?: string
  accessibility?: Accessibility
}

export interface JavaScriptAsset extends Claimed {
  asset_type: 'javascript'
  content: string
  module_type?: 'esm' | 'commonjs' | 'script'
  accessibility?: Accessibility
}

export interface CssAsset extends Claimed {
  asset_type: 'css'
  content: string
  media?: string
}

export interface WebhookAsset extends Claimed {
  asset_type: 'webhook'
  url: string
  method?: 'GET' | 'POST'
  timeout_ms?: number
  response_type: 'html' | 'json' | 'xml' | 'javascript'
  security: { method: 'hmac_sha256' | 'api_key' | 'none'; hmac_header?: string; api_key_header?: string }
}

/** Where and how long a disclosure shows (AdCP enums/disclosure-position.json, disclosure-persistence.json). */
export type DisclosurePosition = 'prominent' | 'footer' | 'audio' | 'subtitle' | 'overlay' | 'end_card' | 'pre_roll' | 'companion'
export type DisclosurePersistence = 'continuous' | 'initial' | 'flexible'

/** A text that an ad has to show. */
export interface RequiredDisclosure {
  text: string
  position?: DisclosurePosition
  persistence?: DisclosurePersistence
  min_duration_ms?: number
  language?: string
}

/** What an ad is to be made of. */
export interface BriefAsset {
  asset_type: 'brief'
  name: string
  objective?: 'awareness' | 'consideration' | 'conversion' | 'retention' | 'engagement'
  tone?: string
  audience?: string
  territory?: string
  messaging?: { headline?: string; tagline?: string; cta?: string; key_messages?: string[] }
  reference_assets?: {
    url: string
    role: 'style_reference' | 'product_shot' | 'mood_board' | 'example_creative' | 'logo' | 'strategy_doc' | 'storyboard'
    description?: string
  }[]
  compliance?: { required_disclosures?: RequiredDisclosure[]; prohibited_claims?: string[] }
}

export type CatalogAsset = DeclaredCatalog & { asset_type: 'catalog' }

/** A piece of a creative (AdCP core/assets), as far as a rule reads it; all of it is kept. */
export type Asset =
  | ImageAsset
  | VideoAsset
  | AudioAsset
  | VastAsset
  | DaastAsset
  | TextAsset
  | MarkdownAsset
  | UrlAsset
  | HtmlAsset
  | JavaScriptAsset
  | CssAsset
  | WebhookAsset
  | BriefAsset
  | CatalogAsset

/** The pieces of a creative by the slots of its format. */
export interface Assets {
  [slot: string]: Asset | undefined
}
