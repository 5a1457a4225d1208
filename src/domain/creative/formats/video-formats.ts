import type { FormatSpec } from './format.ts'
import { clickUrl, impressionTracker } from './given-assets.ts'
import { vastTag } from './markup-assets.ts'
import { type VideoLimits, videoFile } from './media-assets.ts'
import { fixedRender } from './renders.ts'

const WEB: VideoLimits = {
  aspectRatio: '16:9',
  minWidth: 640,
  minHeight: 360,
  maxFileSizeKb: 102_400,
  minBitrateKbps: 1000,
  audioRequired: true,
}
const TELEVISION: VideoLimits = {
  aspectRatio: '16:9',
  minWidth: 1280,
  minHeight: 720,
  maxFileSizeKb: 512_000,
  minBitrateKbps: 8000,
  audioRequired: true,
}
const BROADCAST: VideoLimits = {
  aspectRatio: '16:9',
  minWidth: 1920,
  minHeight: 1080,
  maxFileSizeKb: 2_097_152,
  minBitrateKbps: 15_000,
  audioRequired: true,
}

interface Family {
  readonly prefix: string
  readonly name: string
  readonly where: string
  readonly limits: VideoLimits
  readonly clickable: boolean
  readonly render: readonly [width: number, height: number]
}

const HOSTED: readonly Family[] = [
  {
    prefix: 'video',
    name: 'In-stream video',
    where: 'in-stream on web and app',
    limits: WEB,
    clickable: true,
    render: [1280, 720],
  },
  {
    prefix: 'preroll',
    name: 'Pre-roll video',
    where: 'before editorial video',
    limits: WEB,
    clickable: true,
    render: [1280, 720],
  },
  {
    prefix: 'ssai',
    name: 'Connected TV spot',
    where: 'stitched into streams on the television screen',
    limits: TELEVISION,
    clickable: false,
    render: [1920, 1080],
  },
  {
    prefix: 'broadcast_spot',
    name: 'Broadcast spot',
    where: 'in linear commercial breaks',
    limits: BROADCAST,
    clickable: false,
    render: [1920, 1080],
  },
]

const SPOT_SECONDS = [15, 30]

function hosted(family: Family, seconds: number): FormatSpec {
  const [width, height] = family.render
  return {
    id: `${family.prefix}_${seconds}s`,
    type: 'video',
    body: {
      name: `${family.name} :${seconds}`,
      description: `A hosted video file of ${seconds} seconds, shown ${family.where}.`,
      renders: [fixedRender(width, height)],
      assets: [videoFile(seconds, family.limits), ...(family.clickable ? [clickUrl()] : []), impressionTracker()],
      delivery: { method: 'hosted', duration_ms: seconds * 1000 },
      accessibility: { wcag_level: 'A', requires_accessible_assets: false },
      ...videoDisclosure(),
      reported_metrics: ['impressions', 'spend', 'completion_rate', 'completed_views', 'quartile_data', 'reach', 'frequency'],
    },
  }
}

/** VAST by length, for the web player and for the television screen. */
function vast(seconds: number, screen: 'web' | 'television'): FormatSpec {
  const television = screen === 'television'
  return {
    id: `${television ? 'ctv_vast' : 'vast'}_${seconds}s`,
    type: 'video',
    body: {
      name: `${television ? 'Connected TV VAST' : 'VAST video'} :${seconds}`,
      description: `A VAST tag that answers with a linear video of ${seconds} seconds${television ? ' in television quality' : ''}.`,
      renders: [television ? fixedRender(1920, 1080) : fixedRender(1280, 720)],
      assets: [vastTag(), impressionTracker()],
      delivery: { method: 'vast', duration_ms: seconds * 1000 },
      reported_metrics: ['impressions', 'spend', 'completion_rate', 'completed_views', 'quartile_data'],
    },
  }
}

/** A player can hold a label over the whole spot or at its start. */
function videoDisclosure(): Pick<FormatSpec['body'], 'supported_disclosure_positions' | 'disclosure_capabilities'> {
  return {
    supported_disclosure_positions: ['overlay', 'subtitle', 'end_card'],
    disclosure_capabilities: [
      { position: 'overlay', persistence: ['continuous', 'initial', 'flexible'] },
      { position: 'subtitle', persistence: ['continuous', 'flexible'] },
      { position: 'end_card', persistence: ['flexible'] },
    ],
  }
}

/** Hosted and VAST video formats of this agent, linear television spots among them. */
export const videoFormats: readonly FormatSpec[] = [
  ...HOSTED.flatMap((family) => SPOT_SECONDS.map((seconds) => hosted(family, seconds))),
  ...SPOT_SECONDS.flatMap((seconds) => [vast(seconds, 'web'), vast(seconds, 'television')]),
]
