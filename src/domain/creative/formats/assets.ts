import type { FormatAsset, FormatRender } from './format.ts'

/**
 * Builders for the asset slots of a format (AdCP core/format.json `assets`). The asset id is the key that a creative
 * manifest uses; one id means one thing in every format of the catalogue.
 */

/** An image of exactly `width` × `height` pixels. */
export function fixedImage(width: number, height: number, maxFileSizeKb: number): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'image',
    asset_type: 'image',
    asset_role: 'hero_image',
    required: true,
    requirements: {
      min_width: width,
      max_width: width,
      min_height: height,
      max_height: height,
      unit: 'px',
      formats: ['jpg', 'png', 'gif', 'webp'],
      max_file_size_kb: maxFileSizeKb,
      animation_allowed: true,
      // 15 s is the limit of the IAB new ad portfolio for animated display.
      max_animation_duration_ms: 15_000,
    },
  }
}

/** An image with a fixed aspect ratio, at least `minWidth` pixels wide. */
export function ratioImage(assetId: string, aspectRatio: string, minWidth: number, required: boolean): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: assetId,
    asset_type: 'image',
    asset_role: assetId,
    required,
    requirements: {
      min_width: minWidth,
      aspect_ratio: aspectRatio,
      unit: 'px',
      formats: ['jpg', 'png', 'webp'],
      max_file_size_kb: 1024,
    },
  }
}

export interface VideoLimits {
  readonly aspectRatio: string
  readonly minWidth: number
  readonly minHeight: number
  readonly maxFileSizeKb: number
  readonly minBitrateKbps: number
  /** Silent screens carry no sound. */
  readonly audioRequired: boolean
}

/** A video file of `seconds` length; half a second of tolerance on either side covers container rounding. */
export function videoFile(seconds: number, limits: VideoLimits): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'video',
    asset_type: 'video',
    asset_role: 'hero_video',
    required: true,
    requirements: {
      min_duration_ms: seconds * 1000 - 500,
      max_duration_ms: seconds * 1000 + 500,
      min_width: limits.minWidth,
      min_height: limits.minHeight,
      aspect_ratio: limits.aspectRatio,
      containers: ['mp4', 'mov', 'webm'],
      codecs: ['h264', 'h265', 'vp9'],
      max_file_size_kb: limits.maxFileSizeKb,
      min_bitrate_kbps: limits.minBitrateKbps,
      audio_required: limits.audioRequired,
    },
  }
}

/** An audio file of `seconds` length. */
export function audioFile(seconds: number): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'audio',
    asset_type: 'audio',
    asset_role: 'spot',
    required: true,
    requirements: {
      min_duration_ms: seconds * 1000 - 500,
      max_duration_ms: seconds * 1000 + 500,
      formats: ['mp3', 'aac', 'wav'],
      sample_rates: [44_100, 48_000],
      channels: ['stereo', 'mono'],
      min_bitrate_kbps: 128,
      max_file_size_kb: 10_240,
    },
  }
}

/** A line of text with a length limit in characters. */
export function textLine(assetId: string, maxLength: number, required: boolean): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: assetId,
    asset_type: 'text',
    asset_role: assetId,
    required,
    requirements: { min_length: 1, max_length: maxLength },
  }
}

/** The page a click leads to. */
export function clickUrl(required = false): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'click_url',
    asset_type: 'url',
    asset_role: 'clickthrough',
    required,
    requirements: { role: 'clickthrough', protocols: ['https', 'http'], max_length: 2048, macro_support: true },
  }
}

/** An address that is called for each impression. */
export function impressionTracker(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'impression_tracker',
    asset_type: 'url',
    asset_role: 'third_party_tracking',
    required: false,
    requirements: { role: 'impression_tracker', protocols: ['https'], max_length: 2048, macro_support: true },
  }
}

/** Third-party HTML5 markup, served in a sandboxed frame. */
export function htmlBundle(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'html',
    asset_type: 'html',
    asset_role: 'html5_creative',
    required: true,
    requirements: { max_file_size_kb: 200, sandbox: 'iframe', external_resources_allowed: true },
  }
}

/** A third-party JavaScript tag. */
export function scriptTag(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'tag',
    asset_type: 'javascript',
    asset_role: 'third_party_tag',
    required: true,
    requirements: { max_file_size_kb: 150, module_type: 'script', external_resources_allowed: true },
  }
}

/** A VAST document or tag; 4.2 is the newest version that the schema names. */
export function vastTag(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'vast',
    asset_type: 'vast',
    asset_role: 'vast_tag',
    required: true,
    requirements: { vast_version: '4.2' },
  }
}

/** A DAAST document or tag. */
export function daastTag(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'daast',
    asset_type: 'daast',
    asset_role: 'daast_tag',
    required: true,
    requirements: { daast_version: '1.0' },
  }
}

/** One render of a fixed size in pixels. */
export function fixedRender(width: number, height: number, role = 'primary'): FormatRender {
  return { role, dimensions: { width, height, unit: 'px' } }
}

/** One render that follows its container and keeps an aspect ratio. */
export function fluidRender(minWidth: number, maxWidth: number, aspectRatio?: string): FormatRender {
  return {
    role: 'primary',
    dimensions: {
      min_width: minWidth,
      max_width: maxWidth,
      unit: 'px',
      responsive: { width: true, height: true },
      ...(aspectRatio !== undefined && { aspect_ratio: aspectRatio }),
    },
  }
}

/** Markup that takes the place of the hosted image: a required slot is also filled by an optional one of the same role. */
export function imageMarkup(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'html',
    asset_type: 'html',
    asset_role: 'hero_image',
    required: false,
    requirements: { max_file_size_kb: 200, sandbox: 'iframe', external_resources_allowed: true },
  }
}

/** The brief that a generative format is made from; it travels with what was made. */
export function creativeBrief(): FormatAsset {
  return { item_type: 'individual', asset_id: 'brief', asset_type: 'brief', asset_role: 'creative_brief', required: true }
}

/** A feed of products; the ad shows up to `mostItems` of them, one at a time. */
export function productCatalog(mostItems: number): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'catalog',
    asset_type: 'catalog',
    asset_role: 'product_feed',
    required: true,
    requirements: { catalog_type: 'product', min_items: 1, max_items: mostItems, required_fields: ['title'] },
  }
}

/** A picture of any size and shape that a template places. */
export function anyImage(assetId: string): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: assetId,
    asset_type: 'image',
    asset_role: assetId,
    required: false,
    requirements: { formats: ['jpg', 'png', 'gif', 'webp'], max_file_size_kb: 1024 },
  }
}

/** The made ad, in the manifest beside what it was made from. */
export function builtMarkup(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'html',
    asset_type: 'html',
    asset_role: 'built_creative',
    required: false,
    requirements: { max_file_size_kb: 200, sandbox: 'iframe', external_resources_allowed: true },
  }
}

/** A native ad in one piece, for exchanges: the response object of OpenRTB Native 1.2 as text. */
export function nativeDocument(): FormatAsset {
  return {
    item_type: 'individual',
    asset_id: 'openrtb_native',
    asset_type: 'text',
    asset_role: 'built_creative',
    required: false,
  }
}
