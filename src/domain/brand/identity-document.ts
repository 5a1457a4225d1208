import type { RightUse } from './right-use.ts'

/** The corporate entity that a brand belongs to. */
export interface BrandHouse {
  domain: string
  name: string
}

export interface BrandLogo {
  url: string
  orientation?: 'square' | 'horizontal' | 'vertical' | 'stacked'
  background?: 'dark-bg' | 'light-bg' | 'transparent-bg'
  variant?: 'primary' | 'secondary' | 'icon' | 'wordmark' | 'full-lockup'
  tags?: string[]
  usage?: string
  width?: number
  height?: number
}

export interface BrandAsset {
  asset_id: string
  asset_type: 'image' | 'video' | 'audio' | 'text' | 'markdown' | 'html' | 'css' | 'javascript' | 'vast' | 'daast' | 'url'
  url: string
  tags?: string[]
  name?: string
  description?: string
  width?: number
  height?: number
  duration_seconds?: number
  file_size_bytes?: number
  format?: string
}

/** One colour or several, as CSS writes them. */
type Colors = string | string[]

/** A font by its name, or with its files. */
type Font =
  | string
  | {
      family: string
      files?: { url: string; weight?: number; weight_range?: number[]; style?: 'normal' | 'italic' | 'oblique' }[]
      opentype_features?: string[]
      fallbacks?: string[]
    }

/** The parts of a brand's identity that a question can name. */
export type IdentityField =
  | 'description'
  | 'industries'
  | 'keller_type'
  | 'logos'
  | 'colors'
  | 'fonts'
  | 'visual_guidelines'
  | 'tone'
  | 'tagline'
  | 'voice_synthesis'
  | 'assets'
  | 'rights'

/** What a brand is, in the words of brand/get-brand-identity-response.json, without what is shown to some callers alone. */
export interface BrandIdentity {
  brand_id: string
  /** By language. */
  names: { [language: string]: string | undefined }[]
  description?: string
  industries?: string[]
  keller_type?: 'master' | 'sub_brand' | 'endorsed' | 'independent'
  colors?: { primary?: Colors; secondary?: Colors; accent?: Colors; background?: Colors; text?: Colors }
  fonts?: { [role: string]: Font | undefined }
  visual_guidelines?: object
  tone?: { voice?: string; attributes?: string[]; dos?: string[]; donts?: string[] }
  tagline?: string | { [language: string]: string | undefined }[]
  voice_synthesis?: { provider?: string; voice_id?: string; settings?: object }
}

/** Rights that can be had of a brand, without prices and conditions. */
export interface RightsSummary {
  available_uses: RightUse[]
  countries?: string[]
  excluded_countries?: string[]
  exclusivity_model: string
  content_restrictions?: string[]
}

/** A brand as a caller may see it. */
export interface ShownIdentity extends BrandIdentity {
  house: BrandHouse
  logos?: BrandLogo[]
  assets?: BrandAsset[]
  rights?: RightsSummary
  /** What it has and an account would show. */
  available_fields?: IdentityField[]
}
