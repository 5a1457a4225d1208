import type { FormatSpec } from './format.ts'
import { clickUrl, impressionTracker, textLine } from './given-assets.ts'
import { htmlBundle, imageMarkup, nativeDocument, scriptTag } from './markup-assets.ts'
import { fixedImage, ratioImage } from './media-assets.ts'
import { fixedRender, fluidRender } from './renders.ts'

/** The six sizes that carry most display spend; names as in the IAB fixed-size guidelines. */
export const DISPLAY_SIZES: readonly (readonly [width: number, height: number, name: string])[] = [
  [300, 250, 'Medium Rectangle'],
  [728, 90, 'Leaderboard'],
  [160, 600, 'Wide Skyscraper'],
  [300, 600, 'Half Page'],
  [320, 50, 'Mobile Banner'],
  [970, 250, 'Billboard'],
]

/** Hosted image, HTML5 bundle and JavaScript tag of one size. */
function sizeFormats([width, height, name]: readonly [number, number, string]): FormatSpec[] {
  const size = `${width}x${height}`
  const common = {
    renders: [fixedRender(width, height)],
    reported_metrics: ['impressions', 'clicks', 'ctr', 'viewability', 'spend'] as (
      | 'impressions'
      | 'clicks'
      | 'ctr'
      | 'viewability'
      | 'spend'
    )[],
  }
  return [
    {
      id: `display_${size}`,
      type: 'display',
      body: {
        ...common,
        name: `${name} ${size} image`,
        description: `A hosted image of ${width} by ${height} pixels with a click-through address, or markup of that size in its place.`,
        assets: [fixedImage(width, height, 200), imageMarkup(), clickUrl(), impressionTracker()],
        delivery: { method: 'hosted' },
        accessibility: { wcag_level: 'AA', requires_accessible_assets: false },
        ...overlayDisclosure(),
      },
    },
    {
      id: `display_${size}_html5`,
      type: 'display',
      body: {
        ...common,
        name: `${name} ${size} HTML5`,
        description: `HTML5 markup for ${width} by ${height} pixels, served in a sandboxed frame.`,
        assets: [htmlBundle(), clickUrl(), impressionTracker()],
        delivery: { method: 'hosted' },
        accessibility: { wcag_level: 'A', requires_accessible_assets: true },
      },
    },
    {
      id: `display_${size}_tag`,
      type: 'display',
      body: {
        ...common,
        name: `${name} ${size} JavaScript tag`,
        description: `A third-party JavaScript tag that renders ${width} by ${height} pixels.`,
        assets: [scriptTag(), clickUrl()],
        delivery: { method: 'third_party_tag' },
      },
    },
  ]
}

/** A static image carries a label for as long as it shows. */
function overlayDisclosure(): Pick<FormatSpec['body'], 'supported_disclosure_positions' | 'disclosure_capabilities'> {
  return {
    supported_disclosure_positions: ['overlay', 'footer'],
    disclosure_capabilities: [
      { position: 'overlay', persistence: ['continuous', 'flexible'] },
      { position: 'footer', persistence: ['continuous', 'flexible'] },
    ],
  }
}

function nativeFormat(id: string, name: string, description: string, ratio: string, bodyRequired: boolean): FormatSpec {
  return {
    id,
    type: 'display',
    body: {
      name,
      description,
      renders: [fluidRender(280, 1200)],
      assets: [
        ratioImage('image', ratio, 600, true),
        textLine('headline', 90, true),
        textLine('body', 140, bodyRequired),
        textLine('cta', 20, false),
        textLine('sponsor', 40, false),
        ratioImage('logo', '1:1', 80, false),
        clickUrl(),
        impressionTracker(),
        nativeDocument(),
      ],
      delivery: { method: 'hosted' },
      accessibility: { wcag_level: 'AAA', requires_accessible_assets: true },
      supported_disclosure_positions: ['prominent', 'footer'],
      disclosure_capabilities: [
        { position: 'prominent', persistence: ['continuous', 'initial', 'flexible'] },
        { position: 'footer', persistence: ['continuous', 'flexible'] },
      ],
      reported_metrics: ['impressions', 'clicks', 'ctr', 'viewability', 'engagement_rate', 'spend'],
    },
  }
}

/** Display and native formats of this agent. */
export const displayFormats: readonly FormatSpec[] = [
  ...DISPLAY_SIZES.flatMap(sizeFormats),
  nativeFormat(
    'native_content',
    'Native content card',
    'Headline, image and text in the style of the page around them.',
    '1.91:1',
    false,
  ),
  nativeFormat(
    'native_post',
    'Native sponsored post',
    'A sponsored post in the article stream: headline, image and link.',
    '1.91:1',
    false,
  ),
  nativeFormat('native_feed', 'Native feed unit', 'An in-feed unit with a square image, headline and body text.', '1:1', false),
]
