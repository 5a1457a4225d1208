import type { FormatAsset } from './format.ts'

/**
 * Asset slots for images, video and audio files. The asset id is the key that a creative manifest uses (AdCP
 * core/format.json `assets`); one id means one thing in every format of this agent.
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
