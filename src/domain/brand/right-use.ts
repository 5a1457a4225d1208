/** What a licensed right may be used for (AdCP enums/right-use.json). */
export type RightUse =
  | 'likeness'
  | 'voice'
  | 'name'
  | 'endorsement'
  | 'motion_capture'
  | 'signature'
  | 'catchphrase'
  | 'sync'
  | 'background_music'
  | 'editorial'
  | 'commercial'
  | 'ai_generated_image'

/** What a right is to (AdCP enums/right-type.json). */
export type RightType = 'talent' | 'character' | 'brand_ip' | 'music' | 'stock_media'

/** How often a right is paid for. */
export type RightsPeriod = 'daily' | 'weekly' | 'monthly' | 'quarterly' | 'annual' | 'one_time'
