import type { FormatSpec } from './format.ts'
import { clickUrl, impressionTracker, textLine } from './given-assets.ts'
import { daastTag } from './markup-assets.ts'
import { audioFile } from './media-assets.ts'

function hosted(seconds: number): FormatSpec {
  return {
    id: `audio_${seconds}s`,
    type: 'audio',
    body: {
      name: `Audio spot :${seconds}`,
      description: `A hosted audio file of ${seconds} seconds for streams and podcasts.`,
      assets: [audioFile(seconds), clickUrl(), impressionTracker()],
      delivery: { method: 'hosted', duration_ms: seconds * 1000 },
      supported_disclosure_positions: ['audio', 'companion'],
      disclosure_capabilities: [{ position: 'audio', persistence: ['initial', 'flexible'] }],
      reported_metrics: ['impressions', 'spend', 'completion_rate', 'completed_views', 'reach', 'frequency'],
    },
  }
}

function daast(seconds: number): FormatSpec {
  return {
    id: `daast_${seconds}s`,
    type: 'audio',
    body: {
      name: `DAAST audio :${seconds}`,
      description: `A DAAST tag that answers with an audio spot of ${seconds} seconds.`,
      assets: [daastTag(), impressionTracker()],
      delivery: { method: 'daast', duration_ms: seconds * 1000 },
      reported_metrics: ['impressions', 'spend', 'completion_rate', 'completed_views'],
    },
  }
}

const hostRead: FormatSpec = {
  id: 'podcast_host_read_60s',
  type: 'audio',
  body: {
    name: 'Podcast host read :60',
    description: 'Talking points that the host reads in their own words, up to 60 seconds.',
    assets: [textLine('script', 1200, true), textLine('offer_code', 40, false), clickUrl()],
    delivery: { method: 'host_read', duration_ms: 60_000 },
    supported_disclosure_positions: ['audio'],
    disclosure_capabilities: [{ position: 'audio', persistence: ['initial'] }],
    reported_metrics: ['impressions', 'spend', 'reach'],
  },
}

/** Audio formats of this agent. */
export const audioFormats: readonly FormatSpec[] = [hosted(15), hosted(30), daast(15), daast(30), hostRead]
