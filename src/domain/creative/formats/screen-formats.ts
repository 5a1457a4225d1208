import type { FormatAsset, FormatSpec } from './format.ts'
import { clickUrl, impressionTracker, textLine } from './given-assets.ts'
import { fixedImage, ratioImage, videoFile } from './media-assets.ts'
import { fixedRender, fluidRender } from './renders.ts'

/** Digital out-of-home screens, in pixels: landscape and portrait full HD. */
function screen(orientation: 'landscape' | 'portrait', kind: 'image' | 'video'): FormatSpec {
  const [width, height] = orientation === 'landscape' ? [1920, 1080] : [1080, 1920]
  const asset =
    kind === 'image'
      ? fixedImage(width, height, 4096)
      : videoFile(10, {
          aspectRatio: orientation === 'landscape' ? '16:9' : '9:16',
          minWidth: width,
          minHeight: height,
          maxFileSizeKb: 204_800,
          minBitrateKbps: 8000,
          audioRequired: false,
        })
  return {
    id: `dooh_${orientation}_${kind === 'image' ? `${width}x${height}` : 'video_10s'}`,
    type: 'dooh',
    body: {
      name: `Digital out-of-home ${orientation} ${kind}`,
      description: `${kind === 'image' ? 'A still' : 'A silent video of 10 seconds'} of ${width} by ${height} pixels for ${orientation} screens.`,
      renders: [fixedRender(width, height)],
      assets: [asset],
      delivery: { method: 'hosted', slot_duration_ms: 10_000 },
      supported_disclosure_positions: ['overlay', 'footer'],
      disclosure_capabilities: [
        { position: 'overlay', persistence: ['continuous'] },
        { position: 'footer', persistence: ['continuous'] },
      ],
      reported_metrics: ['impressions', 'spend', 'dooh_metrics', 'reach'],
    },
  }
}

/** A unit in a social feed: one hero asset and the texts around it. */
function social(id: string, name: string, description: string, hero: FormatAsset, ratio: string, video: boolean): FormatSpec {
  return {
    id,
    type: video ? 'video' : 'display',
    body: {
      name,
      description,
      renders: [fluidRender(320, 1080, ratio)],
      assets: [
        hero,
        textLine('headline', 60, true),
        textLine('primary_text', 280, false),
        textLine('cta', 20, false),
        clickUrl(),
        impressionTracker(),
      ],
      delivery: { method: 'hosted' },
      accessibility: { wcag_level: 'AA', requires_accessible_assets: true },
      supported_disclosure_positions: ['prominent'],
      disclosure_capabilities: [{ position: 'prominent', persistence: ['continuous', 'flexible'] }],
      reported_metrics: [
        'impressions',
        'clicks',
        'engagement_rate',
        'spend',
        ...(video ? (['views', 'completed_views'] as const) : []),
      ],
    },
  }
}

const carousel: FormatSpec = {
  id: 'social_carousel',
  type: 'display',
  body: {
    name: 'Social carousel',
    description: 'Two to ten swipeable cards, each with a square image, a headline and a link.',
    renders: [fluidRender(320, 1080, '1:1')],
    assets: [
      {
        item_type: 'repeatable_group',
        asset_group_id: 'card',
        required: true,
        min_count: 2,
        max_count: 10,
        selection_mode: 'sequential',
        assets: [
          {
            asset_id: 'image',
            asset_type: 'image',
            required: true,
            requirements: {
              min_width: 600,
              aspect_ratio: '1:1',
              unit: 'px',
              formats: ['jpg', 'png', 'webp'],
              max_file_size_kb: 1024,
            },
          },
          { asset_id: 'headline', asset_type: 'text', required: true, requirements: { min_length: 1, max_length: 45 } },
          {
            asset_id: 'click_url',
            asset_type: 'url',
            required: true,
            requirements: { role: 'clickthrough', protocols: ['https', 'http'] },
          },
        ],
      },
      textLine('primary_text', 280, false),
    ],
    delivery: { method: 'hosted' },
    reported_metrics: ['impressions', 'clicks', 'engagement_rate', 'spend'],
  },
}

const story = videoFile(15, {
  aspectRatio: '9:16',
  minWidth: 720,
  minHeight: 1280,
  maxFileSizeKb: 102_400,
  minBitrateKbps: 1500,
  audioRequired: false,
})

/** Out-of-home and social formats of this agent. */
export const screenFormats: readonly FormatSpec[] = [
  screen('landscape', 'image'),
  screen('portrait', 'image'),
  screen('landscape', 'video'),
  screen('portrait', 'video'),
  social(
    'social_image_square',
    'Social image post',
    'A square image post in the feed.',
    ratioImage('image', '1:1', 600, true),
    '1:1',
    false,
  ),
  social('social_story_video_15s', 'Social story video :15', 'A vertical video story of 15 seconds.', story, '9:16', true),
  carousel,
]
