import { DISPLAY_SIZES } from './display-formats.ts'
import type { FormatAsset, FormatSpec } from './format.ts'
import { clickUrl, creativeBrief, impressionTracker, productCatalog, textLine } from './given-assets.ts'
import { builtMarkup } from './markup-assets.ts'
import { anyImage } from './media-assets.ts'
import { fixedRender } from './renders.ts'

/** What a template places, all of it optional: what is not given comes from the brief or the feed. */
function pieces(): FormatAsset[] {
  return [
    textLine('headline', 90, false),
    textLine('body', 200, false),
    textLine('cta', 30, false),
    textLine('sponsor', 60, false),
    anyImage('image'),
    clickUrl(),
    impressionTracker(),
  ]
}

/** A template prints a disclosure at the foot of the ad for as long as the ad shows. */
const DISCLOSURE: Pick<FormatSpec['body'], 'supported_disclosure_positions' | 'disclosure_capabilities'> = {
  supported_disclosure_positions: ['footer', 'prominent'],
  disclosure_capabilities: [
    { position: 'footer', persistence: ['continuous', 'initial', 'flexible'] },
    { position: 'prominent', persistence: ['continuous', 'initial', 'flexible'] },
  ],
}

function fromBrief([width, height, name]: (typeof DISPLAY_SIZES)[number]): FormatSpec {
  const size = `${width}x${height}`
  return {
    id: `display_${size}_generative`,
    type: 'display',
    makes: [`display_${size}_html5`, `display_${size}_tag`, `display_${size}`],
    body: {
      name: `${name} ${size} from a brief`,
      description: `Generative: a brief, and any texts and pictures at hand, become HTML of ${width} by ${height} pixels.`,
      renders: [fixedRender(width, height)],
      assets: [creativeBrief(), ...pieces(), builtMarkup()],
      delivery: { method: 'hosted' },
      accessibility: { wcag_level: 'AA', requires_accessible_assets: false },
      ...DISCLOSURE,
      reported_metrics: ['impressions', 'clicks', 'ctr', 'viewability', 'spend'],
    },
  }
}

function fromFeed([width, height, name]: (typeof DISPLAY_SIZES)[number]): FormatSpec {
  const size = `${width}x${height}`
  return {
    id: `display_${size}_catalog`,
    type: 'display',
    body: {
      name: `${name} ${size} from a product feed`,
      description: `Catalog-driven: HTML of ${width} by ${height} pixels that shows items of a synced or inline product feed, one at a time.`,
      renders: [fixedRender(width, height)],
      assets: [productCatalog(100), ...pieces(), builtMarkup()],
      delivery: { method: 'hosted' },
      accessibility: { wcag_level: 'AA', requires_accessible_assets: false },
      ...DISCLOSURE,
      reported_metrics: ['impressions', 'clicks', 'ctr', 'viewability', 'spend'],
    },
  }
}

function videoFromBrief(seconds: number): FormatSpec {
  return {
    id: `video_${seconds}s_generative`,
    type: 'video',
    makes: [`vast_${seconds}s`],
    body: {
      name: `Video from a brief :${seconds}`,
      description: `Generative: a brief and a film become VAST of ${seconds} seconds; without a film, a card over the content.`,
      renders: [fixedRender(1280, 720)],
      assets: [
        creativeBrief(),
        ...pieces(),
        { item_type: 'individual', asset_id: 'video', asset_type: 'video', asset_role: 'footage', required: false },
        { item_type: 'individual', asset_id: 'vast', asset_type: 'vast', asset_role: 'built_creative', required: false },
      ],
      delivery: { method: 'vast', duration_ms: seconds * 1000 },
      ...DISCLOSURE,
      reported_metrics: ['impressions', 'spend', 'completion_rate', 'completed_views'],
    },
  }
}

/** The sizes that a brief is most often wanted in; with these all formats still fit one page of a listing. */
const BRIEF_SIZES = ['300x250', '728x90', '320x50']
const FEED_SIZES = ['300x250']

const sizesIn = (names: readonly string[]) => DISPLAY_SIZES.filter(([width, height]) => names.includes(`${width}x${height}`))

/** Formats that are made here, from a brief or from a feed. */
export const generativeFormats: readonly FormatSpec[] = [
  ...sizesIn(BRIEF_SIZES).map(fromBrief),
  ...sizesIn(FEED_SIZES).map(fromFeed),
  videoFromBrief(30),
]
